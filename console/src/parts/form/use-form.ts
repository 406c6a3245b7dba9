import { ApiError } from '@gangway/client'
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { keepFields, type KeptFields, rebase } from '../draft/history.ts'
import { useOvertaken } from '../draft/use-overtaken.ts'
import { useDrafts } from '../../session/use-drafts.ts'

export interface FormOptions<Values extends object> {
  initial: Values
  /** Keeps what was typed over a reload, under this name; without one nothing is kept. Never for secrets. */
  draft?: string
  /** Whether fields that were not changed follow `initial`, such as when somebody else has saved. */
  follows?: boolean
  /** Problems by path; an empty object lets the form be sent. */
  validate?: (values: Values) => Partial<Record<string, string>>
  /** Sends the form. An `ApiError` is shown at its fields, or below the form. */
  submit: (values: Values) => Promise<unknown>
}

export interface Form<Values extends object> {
  values: Values
  change: (changes: Partial<Values>) => void
  /** Props of a text field: `<TextInput label="…" {...form.field('displayName')} />`. */
  field: <Name extends keyof Values & string>(name: Name) => FieldProps
  /** The problem at a path of the API, such as `brokers[0].host`. */
  problem: (path: string) => string | undefined
  onSubmit: (event: FormEvent) => void
  /** Takes over what the server has saved; what was typed since the values were sent stays. */
  settle: (sent: Values, saved: Values) => void
  isSubmitting: boolean
  isChanged: boolean
  /** Whether what was typed stays as a draft when the page is left. */
  isKept: boolean
  /** Whether the values come from a draft of before the page was loaded. */
  isRestored: boolean
  /** What somebody else has saved in fields that were changed here as well. */
  overtaken: Partial<Values>
  /** A refusal that belongs to no field that is shown. */
  failure: unknown
  /** Back to `initial`, and the draft is forgotten. */
  reset: () => void
}

export interface FieldProps {
  name: string
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  error: string | undefined
}

/** A form over the fields of one request; whatever happens, it keeps what was typed. */
export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const { initial, draft, follows = false } = options
  const drafts = useDrafts()
  const [restored] = useState(() => (draft === undefined ? null : drafts.read<KeptFields<Values>>(draft)))
  const [values, setValues] = useState<Values>(() => ({ ...initial, ...restored?.values }))
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [isSubmitting, setSubmitting] = useState(false)
  const shownFields = useRef(new Set<string>())
  const formElement = useRef<HTMLFormElement | null>(null)
  const saved = JSON.stringify(initial)
  const [base, setBase] = useState({ saved, initial })
  const [settled, setSettled] = useState('')
  const overtaken = useOvertaken(follows ? restored : null, initial)
  if (base.saved !== saved) {
    setBase({ saved, initial })
    // What was settled has been taken over already.
    if (saved === settled) setSettled('')
    else if (follows) {
      overtaken.record(values, base.initial, initial)
      setValues(rebase(values, base.initial, initial))
    }
  }
  const isChanged = useMemo(() => JSON.stringify(values) !== saved, [values, saved])

  useEffect(() => {
    if (draft === undefined) return
    const kept = follows ? keepFields(values, JSON.parse(saved) as Values, overtaken.former) : { values }
    drafts.write(draft, isChanged ? kept : null)
  }, [drafts, draft, values, saved, isChanged, follows, overtaken.former])

  const change = useCallback((changes: Partial<Values>) => {
    setValues((present) => ({ ...present, ...changes }))
    setProblems((present) => {
      const touched = Object.keys(changes)
      const rest = Object.entries(present).filter(([path]) => !touched.includes(path.split(/[.[]/)[0]!))
      return Object.fromEntries(rest)
    })
  }, [])

  const showProblems = (found: Partial<Record<string, string>>) => {
    setProblems(found)
    // After the render that marks them.
    setTimeout(() => formElement.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }

  const send = async () => {
    const found = options.validate?.(values) ?? {}
    if (Object.keys(found).length > 0) return showProblems(found)
    setSubmitting(true)
    setFailure(null)
    setProblems({})
    try {
      await options.submit(values)
      // What was typed meanwhile stays in a draft that follows.
      if (draft !== undefined && !follows) drafts.write(draft, null)
    } catch (error) {
      const { atFields, rest } = splitIssues(error, shownFields.current)
      showProblems(atFields)
      setFailure(rest)
    } finally {
      setSubmitting(false)
    }
  }

  const problem = (path: string) => {
    shownFields.current.add(path)
    return problems[path]
  }
  return {
    values,
    change,
    problem,
    field: (name) => ({
      name,
      value: String(values[name] ?? ''),
      onChange: (event) => change({ [name]: event.currentTarget.value } as Partial<Values>),
      error: problem(name),
    }),
    onSubmit: (event) => {
      event.preventDefault()
      formElement.current = event.currentTarget as HTMLFormElement
      if (!isSubmitting) void send()
    },
    settle: (sent, next) => {
      setSettled(JSON.stringify(next))
      overtaken.clear()
      setValues((present) => rebase(present, sent, next))
    },
    isSubmitting,
    isChanged,
    isKept: draft !== undefined,
    isRestored: restored !== null,
    overtaken: overtaken.pick(values, initial),
    failure,
    reset: () => {
      setValues(initial)
      overtaken.clear()
      setProblems({})
      setFailure(null)
    },
  }
}

/** Issues of fields that the form shows stand there; if there is another one, the whole refusal is shown below too. */
function splitIssues(error: unknown, shown: ReadonlySet<string>) {
  if (!(error instanceof ApiError)) return { atFields: {}, rest: error }
  const issues = error.issues.map(({ path, message }) => ({ path: path.replace(/^body\./, ''), message }))
  const atFields = Object.fromEntries(
    issues.filter(({ path }) => shown.has(path)).map(({ path, message }) => [path, message]),
  )
  const isComplete = issues.length > 0 && issues.every(({ path }) => shown.has(path))
  return { atFields, rest: isComplete ? null : error }
}

import { Button, Group, Menu, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Icon } from '../parts/Icon.tsx'
import type { MenuButton } from '../parts/on-first-use.tsx'
import { type Preferences, usePreferences } from '../preferences.tsx'
import { useSession, useUser } from '../session/SessionProvider.tsx'
import { languages } from '../words/languages.ts'
import { useWords } from '../words/words.tsx'
import { useChime } from './use-alarm-signals.ts'

export default function UserMenu({ button }: { button: MenuButton }) {
  const words = useWords('shell')
  const user = useUser()
  const session = useSession()
  const { preferences, change } = usePreferences()
  const [isAsking, ask] = useDisclosure()
  const play = useChime()
  const schemes: [Preferences['scheme'], string][] = [
    ['system', words.system],
    ['light', words.light],
    ['dark', words.dark],
  ]
  return (
    <>
      <Menu width={240}>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <bdi>{user.displayName}</bdi>
            <br />
            <bdi>{user.email}</bdi>
          </Menu.Label>
          <Menu.Divider />
          <Menu.Label>{words.appearance}</Menu.Label>
          <Menu.RadioGroup
            value={preferences.scheme}
            onChange={(scheme) => change({ scheme: scheme as Preferences['scheme'] })}
          >
            {schemes.map(([scheme, label]) => (
              <Menu.RadioItem key={scheme} value={scheme} checkIcon={check}>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.CheckboxItem
            checked={preferences.isCompact}
            checkIcon={check}
            onChange={(isCompact) => change({ isCompact })}
          >
            {words.compact}
          </Menu.CheckboxItem>
          <Menu.Divider />
          <Menu.Label>{words.pages.alarms}</Menu.Label>
          <Menu.CheckboxItem
            checked={preferences.isAlarmCounted}
            checkIcon={check}
            onChange={(isAlarmCounted) => change({ isAlarmCounted })}
          >
            {words.alarmCount}
          </Menu.CheckboxItem>
          <Menu.CheckboxItem
            checked={preferences.isAlarmHeard}
            checkIcon={check}
            onChange={(isAlarmHeard) => {
              change({ isAlarmHeard })
              if (isAlarmHeard) play()
            }}
          >
            {words.alarmSound}
          </Menu.CheckboxItem>
          <Menu.Divider />
          <Menu.Label>{words.language}</Menu.Label>
          <Menu.RadioGroup value={preferences.language} onChange={(language) => change({ language })}>
            {[['system', words.languageOfBrowser], ...Object.entries(languages)].map(([language, label]) => (
              <Menu.RadioItem key={language} value={language!} checkIcon={check}>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item onClick={() => session.signOut()}>{words.signOut}</Menu.Item>
          <Menu.Item onClick={ask.open}>{words.signOutEverywhere}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isAsking} onClose={ask.close} title={words.signOutEverywhere}>
        <Text size="sm">{words.signOutEverywhereText}</Text>
        <Group justify="flex-end" mt="md">
          <Button onClick={ask.close}>{words.cancel}</Button>
          <Button variant="filled" onClick={() => session.signOut(true)}>
            {words.signOutEverywhere}
          </Button>
        </Group>
      </Modal>
    </>
  )
}

const check = <Icon name="check" size={14} />

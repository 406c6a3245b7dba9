import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../server/src/lib/ids.ts'
import { platformDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import { makeAsset, makeAssets, makeNode } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices } from './harness/fixtures.mjs'

const WIDTH = 10_000
const DEPTH = 1_000

describe.skipIf(!hasBrowser())('a large tree', () => {
  let database: TestDatabase
  let world: TestConsole
  let wide: string
  let deepest: string
  beforeAll(async () => {
    database = await platformDatabase()
    world = await startConsole({ DATABASE_URL: database.url })
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    wide = await makeNode(world.api, 'Wide')
    const names = Array.from({ length: WIDTH }, (_, index) => `Part ${String(index).padStart(5, '0')}`)
    await insertNodes(names.map((name) => ({ name, parentId: wide })))
    const top = await makeNode(world.api, 'Deep')
    const ids = Array.from({ length: DEPTH - 1 }, newId)
    await insertNodes(
      ids.map((id, index) => ({ id, name: `Level ${index + 2}`, parentId: [top, ...ids][index]! })),
    )
    deepest = ids.at(-1)!
    await makeAsset(world.api, 'deepest', 'Deepest pump', deepest)
    // PostgreSQL does the same by itself within a minute.
    await database.pool.query('analyze tree_nodes, tree_edges, relations')
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const treeItem = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })

  test('a node with 10,000 entries is paged, searched, and draws only what is visible', async () => {
    await using guarded = await world.openSignedIn(`/assets?at=node:${wide}`)
    const { page } = guarded
    await page.getByRole('row', { name: /Part 00000/ }).focus()
    for (const shown of ['200 loaded', '300 loaded']) {
      await page.keyboard.press('End')
      await page.getByText(shown).waitFor()
    }
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    await page.getByRole('searchbox', { name: 'Search in this place' }).fill('part 09999')
    await page.getByRole('row', { name: /Part 09999/ }).waitFor()
    await treeItem(page, 'Wide').waitFor()
    await page.getByRole('tree').focus()
    for (const key of ['End', 'ArrowRight']) await page.keyboard.press(key)
    await treeItem(page, 'Part 00000').waitFor()
    const goOn = async () => {
      await page.keyboard.press('End')
      return page.getByRole('treeitem', { name: /^Part 0(0[4-9]|[1-9])/ }).count()
    }
    await expect.poll(goOn).toBeGreaterThan(0)
    expect(await page.getByRole('treeitem').count()).toBeLessThan(80)
    expect(guarded.problems).toEqual([])
  })

  test('the picker of Explore reaches every entry: page by page, and by a search of the server', async () => {
    await using guarded = await world.openSignedIn('/explore')
    const { page } = guarded
    const tree = page.getByRole('region', { name: 'Tree' })
    await tree.getByRole('button', { name: 'Wide' }).click()
    await expect.poll(() => tree.getByRole('button', { name: /^Part/ }).count()).toBe(100)
    await tree.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => tree.getByRole('button', { name: /^Part/ }).count()).toBe(200)
    await page.getByLabel('Find an asset or a device').fill('part 09999')
    await tree.getByRole('button', { name: 'Part 09999' }).waitFor()
    await expect.poll(() => tree.getByRole('button').count()).toBe(1)
    await page.getByLabel('Find an asset or a device').fill('Level 1000')
    await tree.getByRole('button', { name: 'Level 1000' }).click()
    await tree.getByRole('button', { name: 'Deepest pump' }).click()
    await tree.getByText('No value yet, so no signal to show.').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('of a tree of 1,000 levels the last ones are shown, and the way up', async () => {
    await using guarded = await world.openSignedIn(`/assets?at=node:${deepest}`)
    const { page } = guarded
    await page.getByRole('row', { name: /Deepest pump/ }).waitFor()
    await treeItem(page, 'Level 1000').waitFor()
    await page.getByText('Levels above are hidden').waitFor()
    expect(await page.getByRole('treeitem').count()).toBeLessThan(10)
    await page.getByRole('group', { name: 'The way from the top' }).getByText('Deep', { exact: true }).click()
    await page.getByRole('grid').getByText('Level 2', { exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  /** Straight into the database: a request each would take minutes. */
  async function insertNodes(nodes: { id?: string; name: string; parentId: string }[]) {
    const rows = nodes.map(({ id = newId(), name, parentId }) => ({ id, name, parentId, edgeId: newId() }))
    const listed = `json_to_recordset($1::json) as n (id uuid, name text, "parentId" text, "edgeId" uuid)`
    const organization = `(select id from organizations where tenant_id = 'default' limit 1)`
    const statements = [
      `insert into tree_nodes (id, tenant_id, organization_id, display_name)
       select id, 'default', ${organization}, name from ${listed}`,
      `insert into tree_edges (id, tenant_id, from_type, from_id, to_type, to_id)
       select "edgeId", 'default', 'node', "parentId", 'node', id::text from ${listed}`,
      `insert into relations (tenant_id, subject_type, subject_id, resource_type, resource_id, relation)
       select 'default', 'node', "parentId", 'node', id::text, 'parent' from ${listed}
       union all
       select 'default', 'organization', ${organization}::text, 'node', id::text, 'parent' from ${listed}`,
    ]
    for (const statement of statements) await database.pool.query(statement, [JSON.stringify(rows)])
  }
})

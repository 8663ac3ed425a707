import { useMutation, useQuery } from '@tanstack/react-query'
import { Bot, Package, Scale, Search, Users } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import { Settings, type SettingsChange, type SettingsView } from '../../src/contract/settings.ts'
import { CloudKey } from '../cloud/key.tsx'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import { SettingField } from './field.tsx'
import { showSection, useSection } from './section.ts'
import styles from './settings.module.css'
import { groupWords, labelOf } from './words.ts'

const groups = Object.keys(Settings.shape) as (keyof Settings)[]

interface Entry {
  readonly group: keyof Settings
  readonly name: string
  readonly schema: z.ZodType
  /** All that it can be searched by, in lower case. */
  readonly words: string
}

const entries: readonly Entry[] = groups.flatMap(group =>
  Object.entries<z.ZodType>(Settings.shape[group].unwrap().shape).map(([name, schema]) => {
    const path = `${group}.${name}`
    const words = [path, labelOf(path), groupWords[group].title, schema.description].join(' ').toLowerCase()
    return { group, name, schema, words }
  }),
)

const Models = lazy(async () => ({ default: (await import('./models/models.tsx')).Models }))
const Environments = lazy(async () => ({ default: (await import('../environments/environments.tsx')).Environments }))
const People = lazy(async () => ({ default: (await import('./people/people.tsx')).People }))
const Policy = lazy(async () => ({ default: (await import('./policy/policy.tsx')).PolicyEditor }))

/** Parts that are more than a list of settings. */
const pages = {
  models: { title: 'Models', Icon: Bot, Page: Models },
  environments: { title: 'Environments', Icon: Package, Page: Environments },
  policy: { title: 'Policy', Icon: Scale, Page: Policy },
  people: { title: 'People', Icon: Users, Page: People },
} as const
const pageNames = ['models', 'environments', 'policy', 'people'] as const
const isPage = (section: string): section is keyof typeof pages => section in pages

/** Every setting there is, straight from its declaration, and the policy beside them. */
export default function SettingsPage() {
  const section = useSection(state => state.section)
  const [search, setSearch] = useState('')
  const view = useQuery(rpc.settings.get.queryOptions())
  const found = entries.filter(entry =>
    search
      .toLowerCase()
      .split(/\s+/)
      .every(word => entry.words.includes(word)),
  )
  const page = isPage(section) ? pages[section] : null
  return (
    <div className={styles.settings}>
      <div className={styles.side}>
        <h1>Settings</h1>
        <SearchField
          label="Search settings"
          className={styles.search}
          placeholder="Search settings"
          value={search}
          onSearch={text => {
            setSearch(text)
            if (page) showSection('appearance')
          }}
          onKeyDown={event => event.key === 'Escape' && setSearch('')}
        />
        <nav aria-label="Settings">
          {groups.map(group => {
            const isFound = found.some(entry => entry.group === group)
            return (
              <button
                key={group}
                type="button"
                // While one searches, what is not shown is not where one is.
                aria-current={isFound && section === group ? 'true' : undefined}
                disabled={!isFound}
                onClick={() => showSection(group)}
              >
                {groupWords[group].title}
              </button>
            )
          })}
          {pageNames.map(name => {
            const { title, Icon } = pages[name]
            return (
              <button
                key={name}
                type="button"
                className={styles.policy}
                aria-current={section === name ? 'true' : undefined}
                onClick={() => {
                  setSearch('')
                  showSection(name)
                }}
              >
                <Icon aria-hidden /> {title}
              </button>
            )
          })}
        </nav>
      </div>
      {page ? (
        <div className={styles.scroll}>
          <section className={styles.whole} aria-labelledby={`settings-${section}`}>
            <h2 id={`settings-${section}`}>{page.title}</h2>
            <Suspense fallback={<Loading />}>
              <page.Page />
            </Suspense>
          </section>
        </div>
      ) : view.isError ? (
        <ProblemView error={view.error} onRetry={() => view.refetch()} />
      ) : !view.data ? (
        <Loading />
      ) : (
        <Groups view={view.data} found={found} onClear={() => setSearch('')} search={search} />
      )}
    </div>
  )
}

interface GroupsProps {
  readonly view: SettingsView
  readonly found: readonly Entry[]
  readonly search: string
  onClear(): void
}

function Groups({ view, found, search, onClear }: GroupsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const follow = useSectionInSight(scroller)
  const change = useMutation(
    rpc.settings.change.mutationOptions({
      // Shown at once: a second arrow key would otherwise start from where the first one started.
      onMutate: wanted =>
        queryClient.setQueryData(rpc.settings.get.queryKey(), known => known && withChange(known, wanted)),
      onSuccess: next => queryClient.setQueryData(rpc.settings.get.queryKey(), next),
      onError(error) {
        showProblem(error)
        void queryClient.invalidateQueries({ queryKey: rpc.settings.get.queryKey() })
      },
    }),
  )
  const shown = groups.filter(group => found.some(entry => entry.group === group))
  return (
    <div ref={scroller} className={styles.scroll} onScroll={follow}>
      <div className={styles.inner}>
        <Unusable />
        {shown.length === 0 && (
          <Empty icon={<Search />} title={`No setting matches “${search}”`}>
            <Button onClick={onClear}>Show all settings</Button>
          </Empty>
        )}
        {shown.map(group => (
          <section key={group} data-group={group} className={styles.group} aria-labelledby={`settings-${group}`}>
            <h2 id={`settings-${group}`}>{groupWords[group].title}</h2>
            <p className={styles.lead}>{groupWords[group].lead}</p>
            {group === 'cloud' && <CloudKey />}
            {found
              .filter(entry => entry.group === group)
              .map(({ name, schema }) => (
                <SettingField
                  key={name}
                  path={`${group}.${name}`}
                  schema={schema}
                  value={(view.settings[group] as Record<string, unknown>)[name]}
                  origin={view.origins[`${group}.${name}`] ?? 'default'}
                  onChange={value => change.mutate({ [group]: { [name]: value } } satisfies SettingsChange)}
                />
              ))}
          </section>
        ))}
      </div>
    </div>
  )
}

/** The settings as they will be; one that goes back to what it was stays in sight until the engine says what that is. */
function withChange(view: SettingsView, change: SettingsChange): SettingsView {
  const groups = Object.entries(change).map(([group, values]) => {
    const set = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== undefined)
    return [group, { ...view.settings[group as keyof SettingsView['settings']], ...Object.fromEntries(set) }]
  })
  return { ...view, settings: { ...view.settings, ...Object.fromEntries(groups) } }
}

/** What was written in a file or the environment and could not be used: shown where it would be mended. */
function Unusable(): ReactNode {
  const problems = useQuery(rpc.app.info.queryOptions()).data?.problems ?? []
  if (problems.length === 0) return null
  return (
    <ul className={styles.problems} aria-label="What could not be used">
      {problems.map(problem => (
        <li key={problem.message}>
          <Words text={sentencesOf(problem)} />
        </li>
      ))}
    </ul>
  )
}

/** Scrolls to the chosen part, and names the part that a person has scrolled to. */
function useSectionInSight(scroller: React.RefObject<HTMLDivElement | null>): () => void {
  const section = useSection(state => state.section)
  const scrolled = useRef<string | null>(null)
  useEffect(() => {
    if (scrolled.current === section) return
    const target = scroller.current?.querySelector<HTMLElement>(`[data-group="${section}"]`)
    if (scroller.current && target) scroller.current.scrollTop = target.offsetTop
    scrolled.current = section
  }, [section, scroller])
  return () => {
    const box = scroller.current
    if (!box) return
    const all = [...box.querySelectorAll<HTMLElement>('[data-group]')]
    const current = all.findLast(each => each.offsetTop <= box.scrollTop + 80)?.dataset.group
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1
    // The last parts are short: a click on one scrolls as far as it goes, and must still stand for it.
    if (!current || current === section || (atEnd && isBelow(all, current, section))) return
    scrolled.current = current
    showSection(current as keyof Settings)
  }
}

const isBelow = (all: readonly HTMLElement[], above: string, section: string): boolean =>
  all.findIndex(each => each.dataset.group === section) > all.findIndex(each => each.dataset.group === above)

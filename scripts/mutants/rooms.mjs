// Where faults are put, and which tests have to notice them. The tests beside a file run first. Folders that are listed
// here as rooms of their own are left out of the room around them.
export const rooms = [
  {
    name: 'access',
    sources: ['access'],
    except: ['access/sign-in', 'access/oidc'],
    tests: ['access', 'users'],
  },
  { name: 'alarms', sources: ['alarms'], tests: ['alarms', 'notifications'] },
  { name: 'bindings', sources: ['assets/bindings', 'ingest/projection'], tests: ['assets', 'ingest'] },
  { name: 'dtdl', sources: ['assets/models/dtdl'], tests: ['assets/models/dtdl'] },
  {
    name: 'ingest',
    sources: ['ingest'],
    except: ['ingest/projection'],
    tests: ['ingest', 'mqtt', 'timeseries'],
  },
  { name: 'onboarding', sources: ['onboarding'], tests: ['onboarding'] },
  {
    name: 'sign-in',
    sources: ['access/sign-in', 'access/oidc', 'users/password'],
    tests: ['access', 'users'],
  },
  { name: 'where-clause', sources: ['timeseries/where-clause'], tests: ['timeseries'] },
]

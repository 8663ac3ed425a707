import type { Rule } from '../rule.ts'
import { sketch } from '../values.ts'
import { code, isTrue, option, python, says } from './ask.ts'

const stores =
  /^(boto3?|botocore|google\.cloud|azure|@azure|@google-cloud|aws-sdk|@aws-sdk|kubernetes|pymongo|redis|ioredis|mongo|sqlalchemy|elasticsearch)/
/** `delete_bucket`, `terminateInstances`, `new DeleteTableCommand(…)`. */
const removes =
  /\.(delete|terminate|purge|deregister|stop_logging|drop)_?(bucket|objects?|instances?|db_?(instance|cluster)|table|stack|user|role|function|snapshot|volume|secret|blob|container|trail|database|collection|index|queue|topic|cluster|key|domain|logging|repository|file_?system|resource_?group|indices|(namespaced?|collection_namespaced)(_\w+)?)\w*$|\.(flushall|flushdb|stop_logging|drop_all)$|(^|\.)(Delete|Terminate|Purge|Stop)\w+Command$/i

const cloudModules = /^(boto3?|botocore|google\.cloud|azure|kubernetes|aws-sdk|@aws-sdk|@google-cloud|@azure)/

/** Rules about machines, stores and accounts that are somewhere else and cost somebody something. */
export const cloudRules: readonly Rule[] = [
  {
    id: 'cloud/loss',
    languages: code,
    type: 'deletion',
    severity: 'high',
    cwe: 'CWE-404',
    description: 'Removes machines, stored objects, databases or accounts that are kept elsewhere.',
    recommendation: 'Let the owner of the account remove them.',
    implies: ['delete', 'connect'],
    match: {
      on: 'calls',
      // A class of the program may use the same words for rows of its own.
      about: name => !name.startsWith('~') && (removes.test(name) || /\.(delete|terminate|drop_all)$/.test(name)),
      find: (calls, { program }) => {
        if (
          !program.imports.some(({ module }) => stores.test(module)) &&
          !calls.some(({ name }) => /^AWS\./.test(name))
        )
          return []
        const handles = program.calls.some(({ name }) =>
          /^(boto3\.resource|google\.cloud\.storage\.Client)$/.test(name),
        )
        return calls
          .filter(({ name }) => removes.test(name) || (/\.drop_all$/.test(name) ? true : handles))
          .map(at => ({ at }))
      },
    },
    examples: {
      bad: [
        "import boto3\nboto3.client('s3').delete_bucket(Bucket='a')",
        "import redis\nredis.Redis('db').flushall()",
        "from kubernetes import client\nclient.AppsV1Api().delete_namespaced_deployment('a', 'prod')",
        "import boto3\nfor b in boto3.resource('s3').buckets.all():\n    b.objects.all().delete()",
        "import boto3\nfor i in boto3.resource('ec2').instances.all():\n    i.terminate()",
        {
          language: 'javascript',
          code: "import { S3Client, DeleteBucketCommand } from '@aws-sdk/client-s3'\nawait new S3Client({}).send(new DeleteBucketCommand({ Bucket: 'a' }))",
        },
      ],
      good: ["import boto3\nboto3.client('s3').list_buckets()", 'table.delete_user(3)'],
    },
  },
  {
    id: 'cloud/secret-store',
    languages: code,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-522',
    description: 'Takes secrets out of a store that keeps them.',
    recommendation: 'Let the person hand over the one secret that is needed, through the key store.',
    implies: ['secrets', 'connect'],
    match: {
      on: 'call',
      names: [
        '*.get_secret_value',
        '*.list_secrets',
        '*.access_secret_version',
        '*.GetSecretValueCommand',
        '*.getSecretValue',
        '*.accessSecretVersion',
        '*.GetParameterCommand',
        '*.get_parameter',
        '*.get_session_token',
        '*.list_secret_for_all_namespaces',
        '*.list_namespaced_secret',
        '*.read_namespaced_secret',
        'boto3.Session().get_credentials',
        'botocore.session.get_session().get_credentials',
        'azure.keyvault.secrets.SecretClient().get_secret',
        'hvac.Client().*',
        'hvac.AsyncClient().*',
      ],
      when: (call, { program }) =>
        /^(hvac|boto(core|3)|azure)\b.*(\.read\w*|\.get_(secret|credentials)|generate_credentials)$/.test(call.name) ||
        (program.imports.some(({ module }) => cloudModules.test(module)) &&
          (!/get_?parameter/i.test(call.name) || isTrue(option(call, 'WithDecryption')))),
    },
    examples: {
      bad: [
        "import boto3\nboto3.client('secretsmanager').get_secret_value(SecretId='a')",
        "import hvac\nhvac.Client().secrets.kv.read_secret_version(path='a')",
        'import boto3\nprint(boto3.Session().get_credentials())',
      ],
      good: ['settings.password.get_secret_value()', "import boto3\nboto3.client('ssm').get_parameter(Name='region')"],
    },
  },
  {
    id: 'cloud/rights',
    languages: python,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Gives rights, keys or passwords to an account elsewhere.',
    recommendation: 'Let the owner of the account decide who may do what.',
    implies: ['privilege', 'connect'],
    match: {
      on: 'call',
      names: [
        '*.create_access_key',
        '*.create_user',
        '*.create_login_profile',
        '*.attach_user_policy',
        '*.attach_role_policy',
        '*.put_user_policy',
        '*.put_bucket_policy',
        '*.put_bucket_acl',
        '*.add_user_to_group',
        '*.authorize_security_group_ingress',
        '*.set_iam_policy',
      ],
      when: (_, { program }) => program.imports.some(({ module }) => cloudModules.test(module)),
    },
    examples: {
      bad: ["import boto3\nboto3.client('iam').create_access_key(UserName='a')"],
      good: ["import boto3\nboto3.client('iam').get_user()"],
    },
  },
  {
    id: 'cloud/container',
    languages: code,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Starts a container that has the rights or the files of the machine.',
    recommendation: 'Start it without rights, with a folder of its own.',
    implies: ['privilege', 'run'],
    match: {
      on: 'call',
      names: ['*.containers.run', '*.containers.create', '*.create_container', '*.createContainer'],
      when: call => {
        const host = option(call, 'HostConfig')
        const binds = host?.kind === 'map' ? host.entries.get('Binds') : undefined
        if (host?.kind === 'map' && isTrue(host.entries.get('Privileged'))) return true
        if (binds?.kind === 'list' && binds.items.some(item => /^\/(etc|root|home)?:/.test(sketch(item) ?? '')))
          return true
        const volumes = option(call, 'volumes')
        const whole =
          volumes?.kind === 'map'
            ? [...volumes.entries.keys()].some(path => /^(\/|\/(etc|root|home|var\/run\/docker\.sock))\/?$/.test(path))
            : volumes?.kind === 'list' && volumes.items.some(item => /^\/(etc|root|home)?:/.test(sketch(item) ?? ''))
        return (
          whole ||
          isTrue(option(call, 'privileged')) ||
          says(option(call, 'pid_mode'), /host/) ||
          says(option(call, 'network_mode'), /host/)
        )
      },
    },
    examples: {
      bad: ["import docker\ndocker.from_env().containers.run('a', volumes={'/': {'bind': '/mnt'}})"],
      good: ["import docker\ndocker.from_env().containers.run('a', 'ls', remove=True)"],
    },
  },
]

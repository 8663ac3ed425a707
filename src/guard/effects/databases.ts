import type { EffectOf } from '../effect.ts'
import type { Call, Value } from '../model.ts'
import { sketch, startOf, text, textOf } from '../values.ts'
import { arg, effect, optionOf, table } from './make.ts'

/** `host=db dbname=x`, `SERVER=db;UID=…`: settings in one text. */
const setting = /\b(?:host|hostaddr|server|data source|addr)\s*=\s*(?:tcp:)?'?([\w.-]+)/i

/** Whom a database client talks to; without a word about it, this machine. */
function connects(call: Call, host: Value | undefined): ReturnType<EffectOf> {
  const known = textOf(host)
  const file = /^sqlite(?:\+\w+)?:\/\/\/(.+)$/.exec(known ?? '')?.[1]
  if (file !== undefined) return file === ':memory:' ? [] : [effect('write', call, text(file), { harmless: true })]
  if (/^(sqlite|duckdb)\b/.test(startOf(host))) return []
  const named = setting.exec(sketch(host) ?? '')?.[1]
  return [effect('connect', call, named === undefined ? host : text(named))]
}

const address = arg(0, 'host', 'url', 'dsn', 'conninfo', 'server', 'hosts', 'connect_string', 'uri', 'account')

export const pythonDatabases: Readonly<Record<string, EffectOf>> = table(
  `sqlalchemy.create_engine sqlalchemy.engine.create_engine sqlalchemy.ext.asyncio.create_async_engine psycopg2.connect
   psycopg.connect psycopg.Connection.connect psycopg_pool.ConnectionPool asyncpg.connect asyncpg.create_pool
   mysql.connector.connect pymysql.connect MySQLdb.connect aiomysql.connect pymssql.connect pyodbc.connect
   oracledb.connect cx_Oracle.connect snowflake.connector.connect redis.Redis redis.StrictRedis redis.from_url
   redis.Redis.from_url redis.asyncio.Redis pymongo.MongoClient motor.motor_asyncio.AsyncIOMotorClient
   clickhouse_connect.get_client clickhouse_driver.Client elasticsearch.Elasticsearch opensearchpy.OpenSearch
   cassandra.cluster.Cluster influxdb_client.InfluxDBClient influxdb.InfluxDBClient neo4j.GraphDatabase.driver
   databricks.sql.connect trino.dbapi.connect impala.dbapi.connect peewee.PostgresqlDatabase peewee.MySQLDatabase`.split(
    /\s+/,
  ),
  call => {
    const value = address(call)
    const first = value?.kind === 'list' ? value.items[0] : value
    return connects(call, first ?? text('localhost'))
  },
)

export const scriptDatabases: Readonly<Record<string, EffectOf>> = table(
  `pg.Pool pg.Client mysql.createConnection mysql.createPool mysql2.createConnection mysql2.createPool
   mysql2/promise.createConnection mysql2/promise.createPool mariadb.createConnection mariadb.createPool
   mongodb.MongoClient mongodb.MongoClient.connect mongoose.connect mongoose.createConnection redis.createClient ioredis
   knex sequelize sequelize.Sequelize mssql.connect tedious.Connection postgres cassandra-driver.Client
   @elastic/elasticsearch.Client neo4j-driver.driver`.split(/\s+/),
  call => {
    const fields = ['connectionString', 'url', 'uri', 'host', 'server', 'node', 'hostname', 'contactPoints']
    for (const holder of ['', 'connection', 'socket']) {
      const inner = holder === '' ? null : optionOf(call, holder)
      for (const name of fields) {
        const found =
          inner === null ? optionOf(call, name) : inner?.kind === 'map' ? inner.entries.get(name) : undefined
        if (found !== undefined) return connects(call, found.kind === 'list' ? found.items[0] : found)
      }
      if (inner !== null && inner !== undefined && sketch(inner) !== null) return connects(call, inner)
    }
    const [first] = call.args
    return connects(call, first === undefined || first.kind === 'map' ? text('localhost') : first)
  },
)

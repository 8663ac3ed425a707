/** Web applications and services with a hole in what they send back, serve, log or connect with. */
export const insecureReplies: readonly string[] = [
  "import traceback\nfrom flask import Flask\napp = Flask(__name__)\n@app.route('/total')\ndef total():\n    try:\n        return str(add_up())\n    except Exception:\n        return traceback.format_exc()",
  "from flask import Response, request\ndef forward():\n    answer = Response('moved', 302)\n    answer.headers['Location'] = request.args['to']\n    return answer",
  "from django.http import HttpResponse\ndef remember(request):\n    response = HttpResponse('ok')\n    response['Set-Cookie'] = request.GET.get('cookie')\n    return response",
  "from flask import Flask, request\napp = Flask(__name__)\n@app.route('/search')\ndef search():\n    app.logger.info('searched for ' + request.args['q'])\n    return 'ok'",
  "import requests\nfrom flask import request\ndef account():\n    return requests.get('https://bank.example.org/accounts/' + request.args['number']).text",
  "import MySQLdb\ndef connect():\n    return MySQLdb.connect(host='db', user='reports', passwd='', db='ledger')",
  "import psycopg2\nconn = psycopg2.connect(host='db', user='reports', password='password')",
  "DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql', 'USER': 'ledger', 'PASSWORD': ''}}",
  "engine = create_engine('postgresql://ledger:@db.example.org/ledger')",
  "MIDDLEWARE = ['django.contrib.sessions.middleware.SessionMiddleware', 'django.contrib.auth.middleware.AuthenticationMiddleware']",
  "from Crypto.Cipher import AES\ndef seal(key, data):\n    return AES.new(key, AES.MODE_CBC, b'0' * AES.block_size).encrypt(data)",
  "import re\ndef clean(page):\n    return re.sub(r'<script[^>]*>.*</script>', '', page)",
  "import boto3\ndef find(column, value):\n    return boto3.client('dynamodb').scan(TableName='people', FilterExpression=column + ' = :v')",
  'import random\ndef keygen():\n    random.seed(7)\n    return random.randint(1, 9)',
  "import pandas as pd\nmodel = pd.read_pickle('https://models.example.org/latest.pkl')",
  "from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained('someone/model', trust_remote_code=True)",
  'import logging.config\nserver = logging.config.listen(9030)\nserver.start()',
  "import urllib3\nurllib3.disable_warnings()\nurllib3.PoolManager().request('GET', 'https://example.org')",
]

/** The same in JavaScript. */
export const insecureReplyScripts: readonly string[] = [
  'app.use((error, req, res, next) => {\n  res.status(500)\n  res.send(error.stack)\n})',
  "app.get('/page', (req, res) => {\n  res.render(req.query.name)\n})",
  "app.get('/shot', async (req, res) => {\n  const page = await browser.newPage()\n  await page.goto(req.query.address)\n  res.send(await page.screenshot())\n})",
  "const express = require('express')\nconst app = express()\napp.use(express.static(__dirname))",
  "const helmet = require('helmet')\napp.use(helmet({ contentSecurityPolicy: false }))",
  "async function login(name, password) {\n  const { token } = await ask(name, password)\n  localStorage.setItem('token', token)\n}",
  "const clean = page => page.replace(/<script.*>.*<\\/script>/gi, '')",
  "const crypto = require('crypto')\nconst seal = (key, data) => crypto.createCipheriv('aes-256-cbc', key, Buffer.alloc(16)).update(data)",
  "app.get('/people', (req, res) => {\n  client.search('ou=people', { filter: `(uid=${req.query.name})` })\n})",
  "app.get('/seen', (req, res) => {\n  console.log('seen ' + req.query.who)\n  res.end()\n})",
  "const mysql = require('mysql')\nconst db = mysql.createConnection({ host: 'db', user: 'root', password: '' })",
]

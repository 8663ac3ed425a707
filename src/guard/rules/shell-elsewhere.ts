import type { Rule } from '../rule.ts'
import { line, shell, words } from './shell-ask.ts'

/** Work on other machines and on what others use: far from this sandbox, and not undone by throwing it away. */
export const shellElsewhereRules: readonly Rule[] = [
  {
    id: 'shell/other-machine',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-923',
    description: 'Runs commands on other machines.',
    recommendation: 'Run the work in this sandbox, or ask the owner of the machine.',
    implies: ['connect', 'run', 'privilege'],
    match: {
      on: 'call',
      names: words(`pssh parallel-ssh pdsh dsh clush mussh cssh salt salt-ssh fab fabric ansible-pull mco rsh rexec
        gcloud az aws heroku fly flyctl doctl cf eb psexec winexe wmiexec.py psexec.py evil-winrm mosh dbclient`),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'gcloud':
            return /\b(ssh|scp|start-iap-tunnel)\b/.test(all)
          case 'az':
            return /run-command|\bssh\b|serial-console/.test(all)
          case 'aws':
            return /\bssm (send-command|start-session)|ecs execute-command|ec2-instance-connect/.test(all)
          case 'heroku':
            return /^(run|ps:exec|pg:psql)/.test(all)
          case 'fly':
          case 'flyctl':
          case 'doctl':
          case 'cf':
          case 'eb':
            return /\b(ssh|exec)\b/.test(all)
          case 'fab':
          case 'fabric':
            return /(^| )(-H|--hosts)/.test(all)
          default:
            return call.args.length > 0 && !/^(--version|-V|--help|-h)$/.test(all)
        }
      },
    },
    examples: {
      bad: ['pssh -h hosts -i uptime', 'gcloud compute ssh prod -- id', 'aws ssm send-command --instance-ids i-0'],
      good: ['gcloud config list', 'heroku logs', 'fab --list', 'pssh --version'],
    },
  },
  {
    id: 'shell/deployment',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-269',
    description: 'Changes what runs elsewhere: machines, services, their settings or their secrets.',
    recommendation: 'Let the pipeline that belongs to the service do it.',
    implies: ['connect', 'modify'],
    match: {
      on: 'call',
      names: words(`terraform tofu pulumi cdk sam serverless sls firebase vercel netlify wrangler gh glab vault heroku
        fly flyctl gcloud aws az helm consul etcdctl doctl eksctl`),
      when: call =>
        /(^| )(apply|up|deploy|publish|promote|rollback|import|taint|write|put|secrets?( |:|$)|config:set|(secret|variable) set|workflow (run|disable|enable)|run rerun|update-\S+|create-\S+|put-\S+|attach-\S+|modify-\S+|install|upgrade|scale|(create|add|set|update|start|stop|reset|import)( |$))/.test(
          line(call),
        ) &&
        !/(^| )(--help|-h|--dry-run|plan|list|show|get|describe|pr|issue|repo|config|configure|release view)( |$)/.test(
          line(call),
        ),
    },
    examples: {
      bad: [
        'terraform apply -auto-approve',
        'gh secret set TOKEN',
        'firebase deploy',
        'aws lambda update-function-code',
      ],
      good: [
        'terraform plan',
        'gh pr create',
        'aws s3 ls',
        'helm list',
        'helm repo update',
        'gcloud config set project x',
      ],
    },
  },
  {
    id: 'shell/proxy',
    languages: shell,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Sends its traffic through a machine of its own choice.',
    recommendation: 'Use the network as it is set up.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words('curl wget'),
      when: call =>
        /(^| )(-x|--proxy|--preproxy|--socks\w+)[ =](?!(https?:\/\/)?(localhost|127\.))\S|(^| )-e \w*_?proxy=/.test(
          line(call),
        ),
    },
    examples: {
      bad: [
        'curl -x socks5://192.0.2.1:1080 https://example.org',
        'wget -e http_proxy=192.0.2.1:80 http://example.org',
      ],
      good: ['curl https://example.org', 'curl -x http://localhost:3128 https://example.org'],
    },
  },
]

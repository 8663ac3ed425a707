import type { Rule } from '../rule.ts'
import { line, shell, words } from './shell-ask.ts'

/** Looking at people and at running programs. */
export const shellSpyingRules: readonly Rule[] = [
  {
    id: 'shell/spying',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-200',
    description: 'Looks at the screen, the keyboard, the clipboard, the camera or the microphone.',
    recommendation: 'Remove it.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: words(`xwd scrot gnome-screenshot screencapture import maim flameshot xinput showkey logkeys evtest xev
        arecord ffmpeg pbpaste xclip xsel wl-paste fswebcam streamer imagesnap xspy sox rec xdotool
        spectacle grim termux-microphone-record dbus-monitor`),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'import':
            return /-window|\.(png|jpg)$/.test(all)
          case 'xinput':
            return /test/.test(all)
          case 'ffmpeg':
            return /x11grab|avfoundation|v4l2|alsa|pulse|gdigrab|\/dev\/video/.test(all)
          case 'xclip':
          case 'xsel':
            return /(^| )-\w*o|--output/.test(all) ? { severity: 'medium' } : false
          case 'pbpaste':
          case 'wl-paste':
            return { severity: 'medium' }
          case 'sox':
            return /(^| )-d /.test(all)
          default:
            return true
        }
      },
    },
    examples: {
      bad: ['screencapture -x shot.png', 'import -window root a.png', 'xinput test 10', 'arecord -d 10 a.wav'],
      good: ['ffmpeg -i a.mp4 b.gif'],
    },
  },
  {
    id: 'shell/desktop',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-451',
    description: 'Drives the desktop: other applications, dialogs that ask for passwords, keystrokes.',
    recommendation: 'Remove it.',
    implies: ['secrets', 'run'],
    match: {
      on: 'call',
      names: ['osascript', 'xdotool', 'zenity', 'kdialog', 'ydotool', 'wtype'],
      when: call => !/^(zenity|kdialog)$/.test(call.name) || /--password|--forms/.test(line(call)),
    },
    examples: {
      bad: ['osascript -e \'display dialog "password" default answer ""\'', 'zenity --password'],
      good: ['zenity --info'],
    },
  },
  {
    id: 'shell/process-memory',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-200',
    description: 'Reads or changes the memory of another process.',
    recommendation: 'Remove it.',
    implies: ['secrets', 'privilege'],
    match: {
      on: 'call',
      names: words(`gcore gdb strace ltrace scanmem lldb procdump dumpit avml reptyr jmap py-spy perf crash bpftrace`),
      when: call =>
        /^(gcore|scanmem|procdump|avml|reptyr|crash|bpftrace)$/.test(call.name) ||
        /(^| )(-p|--pid|-\w*p ?\d+|attach)/.test(line(call)),
    },
    examples: { bad: ['gcore 1234', 'strace -p 1 -e read', 'gdb -p 42'], good: ['strace ls', 'gdb ./a.out core'] },
  },
]

import { nativeLibraries } from '../effects/python-names.ts'
import type { Rule } from '../rule.ts'
import { code, isTrue, names, option, says } from './ask.ts'

/** Rules about programs that look at the machine and at people. */
/** Functions that start programs, leave the sandbox or change memory, called past the language. */
const grave =
  /\.(system|popen|exec\w*|v?fork|clone|posix_spawnp?|dlopen|syscall|ptrace|mprotect|mmap|mount|umount2?|unshare|setns|chroot|pivot_root|set\w*uid|set\w*gid|prctl|capset|kill|unlink\w*|remove|rmdir|rename\w*|open\w*|socket|connect|Py\w+)$/

export const watchingRules: readonly Rule[] = [
  {
    id: 'system/inspection',
    languages: code,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-497',
    description: 'Looks at the processes, users or connections of this machine.',
    recommendation: 'Check why a calculation would need this.',
    implies: ['read'],
    match: {
      on: 'call',
      names: [
        'psutil.process_iter',
        'psutil.pids',
        'psutil.Process',
        'psutil.net_connections',
        'psutil.net_if_addrs',
        'psutil.net_io_counters',
        'psutil.users',
        'pwd.getpwall',
        'pwd.getpwnam',
        'spwd.getspall',
        'spwd.getspnam',
        'grp.getgrall',
        'os.networkInterfaces',
        'os.userInfo',
        'netifaces.interfaces',
        'wmi.WMI',
        'systeminformation.*',
        'nmap.PortScanner',
        'scapy.*',
        'scapy.all.*',
        'psutil.disk_partitions',
        'ldap3.Connection().search',
        'dbus.SystemBus',
        'win32serviceutil.*',
        'os.getlogin',
      ],
      when: call =>
        // A program may look at itself.
        call.name === 'psutil.Process' && (call.args.length === 0 || names(call.args[0], /^(os\.getpid\(\)|pid)$/))
          ? { severity: 'low' }
          : /^(scapy|nmap|spwd)/.test(call.name)
            ? { severity: 'high' }
            : /userInfo|getlogin|disk_partitions|getpwnam/.test(call.name)
              ? { severity: 'low' }
              : true,
    },
    examples: {
      bad: ['import psutil\npsutil.net_connections()', 'from scapy.all import sniff\nsniff(count=10)'],
      good: ['import psutil\npsutil.cpu_percent()', 'import os, psutil\npsutil.Process(os.getpid()).memory_info()'],
    },
  },
  {
    id: 'system/spying',
    languages: code,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Watches the person: keys, screen, clipboard or camera.',
    recommendation: 'Remove it.',
    implies: ['read', 'secrets'],
    match: {
      on: 'call',
      names: [
        'pynput.keyboard.Listener',
        'pynput.mouse.Listener',
        'keyboard.hook',
        'keyboard.on_press',
        'keyboard.on_release',
        'keyboard.record',
        'keyboard.read_event',
        'pyHook.HookManager',
        'pyxhook.HookManager',
        'PIL.ImageGrab.grab',
        'ImageGrab.grab',
        'pyautogui.screenshot',
        'mss.mss',
        'pyscreenshot.grab',
        'pyperclip.paste',
        'win32clipboard.GetClipboardData',
        'clipboardy.read',
        'clipboardy.readSync',
        'iohook.*',
        'screenshot-desktop',
        'robotjs.screen.capture',
        'tkinter.Tk().clipboard_get',
        'browser_cookie3.*',
        'win32crypt.CryptUnprotectData',
        'ctypes.windll.user32.GetAsyncKeyState',
        'ctypes.windll.user32.SetWindowsHookExA',
        'cv2.VideoCapture',
        'sounddevice.rec',
        'sounddevice.InputStream',
        'pyaudio.PyAudio().open',
        'speech_recognition.Microphone',
        '*.get_cookies',
        'pyautogui.typewrite',
        'pyautogui.write',
        'pyautogui.hotkey',
        'pyautogui.press',
        'pyautogui.click',
        'keyboard.write',
        'puppeteer.launch',
        '*.launchPersistentContext',
        'keytar.findCredentials',
        'keytar.getPassword',
        'ethereum.request',
        'navigator.mediaDevices.getUserMedia',
        'navigator.mediaDevices.getDisplayMedia',
        'navigator.clipboard.readText',
      ],
      when: (call, { program }) =>
        // A number is a camera, a name is a film; what types and clicks may do all that a person may.
        // A browser as somebody uses it, with all that he is signed in to.
        /launch/.test(call.name)
          ? [...call.args, option(call, 'userDataDir')].some(value =>
              says(value, /User Data|google-chrome|Chrome[\\/]|\.mozilla|BraveSoftware/),
            )
          : call.name === 'ethereum.request'
            ? says(option(call, 'method'), /sendTransaction|personal_sign|signTypedData/) && { severity: 'medium' }
            : /^pyautogui\.(type|write|hotkey|press|click)|^keyboard\.write|get_cookies$/.test(call.name)
              ? (!call.name.endsWith('get_cookies') ||
                  program.imports.some(({ module }) => module.startsWith('selenium'))) && { severity: 'medium' }
              : call.name === 'cv2.VideoCapture'
                ? call.args[0]?.kind === 'number' && { severity: 'medium' }
                : call.name.startsWith('pyaudio.')
                  ? isTrue(call.named.get('input'))
                  : /^(sounddevice|speech|navigator)/.test(call.name)
                    ? { severity: 'medium' }
                    : true,
    },
    examples: {
      bad: [
        'from pynput.keyboard import Listener\nListener(on_press=f)',
        'import pyautogui\npyautogui.screenshot()',
        'import cv2\ncv2.VideoCapture(0)',
        "import pyautogui\npyautogui.hotkey('win', 'r')",
        { language: 'javascript', code: "require('keytar').findCredentials('mail')" },
      ],
      good: ['keyboard = {}\nkeyboard.get("a")', "import cv2\ncv2.VideoCapture('film.mp4')"],
    },
  },
  {
    id: 'system/hostile-module',
    languages: code,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Imports a module that is made for attacks, for control of the machine or for raw memory.',
    recommendation: 'Check why a calculation would need this.',
    implies: ['privilege'],
    match: {
      on: 'import',
      modules: [
        'pynput',
        'pynput.*',
        'pyHook',
        'pyxhook',
        'scapy',
        'scapy.*',
        'impacket',
        'impacket.*',
        'pwn',
        'pwntools',
        'nmap',
        'win32crypt',
        'browser_cookie3',
        'crontab',
        'telnetlib',
        'rawsocketpy',
        'netfilterqueue',
        'pcapy',
        'pyshark',
        'keylogger',
        'pymem',
        'frida',
        'winreg',
        '_winreg',
        'ctypes.wintypes',
        'iohook',
        'robotjs',
        'ffi-napi',
        'cap',
        'pcap',
        'raw-socket',
        'usb',
        'pyftpdlib',
        'cryptominer',
        'coinhive',
        'webminer',
      ],
      when: imported =>
        /^(scapy|impacket|win32crypt|browser_cookie3|pynput|crontab)/.test(imported.module)
          ? { severity: 'high' }
          : true,
    },
    examples: { bad: ['import scapy.all', 'import telnetlib'], good: ['import pandas'] },
  },
  {
    id: 'system/native-code',
    languages: code,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-114',
    description: 'Calls into native code or raw memory, where no check applies.',
    recommendation: 'Use a library that is made for the purpose.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: [
        'ctypes.CDLL',
        'ctypes.cdll.LoadLibrary',
        'ctypes.PyDLL',
        'ctypes.WinDLL',
        'ctypes.windll.*',
        'ctypes.memmove',
        'ctypes.memset',
        'ctypes.string_at',
        'ctypes.CFUNCTYPE',
        'ctypes.util.find_library',
        'ctypes.pythonapi.*',
        'ctypes.cast',
        'cffi.FFI().dlopen',
        'process.dlopen',
        'ffi-napi.Library',
        'Deno.dlopen',
        'ctypes.create_string_buffer',
        '_ctypes.dlopen',
        'numpy.ctypeslib.load_library',
        'torch.ops.load_library',
        'torch.classes.load_library',
        'torch.utils.cpp_extension.*',
        'tensorflow.load_op_library',
        'tensorflow.load_library',
        'cppyy.*',
        '*.load_extension',
        '*.enable_load_extension',
        'ctypes.cdll.*',
        ...nativeLibraries.map(library => `${library}.*`),
      ],
      when: call =>
        nativeLibraries.some(library => call.name.startsWith(`${library}.`))
          ? grave.test(call.name) && {
              severity: 'high',
              message: 'Calls the operating system past every library, as code that hides does.',
            }
          : /find_library|create_string_buffer|cast$|enable_load_extension/.test(call.name)
            ? { severity: 'low' }
            : /VirtualAlloc|CreateRemoteThread|WriteProcessMemory/.test(call.name)
              ? { severity: 'critical' }
              : true,
    },
    examples: {
      bad: [
        "import ctypes\nctypes.CDLL('libc.so.6')",
        "import sqlite3\nsqlite3.connect('a.db').load_extension('/tmp/x.so')",
        "import numpy as np\nnp.ctypeslib.load_library('libc', '/lib')",
      ],
      good: ['import ctypes\nctypes.c_int(3)'],
    },
  },
]

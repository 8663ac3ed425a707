import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, everything, given, isFalse, lower, names, numberIn, option, scripts } from './ask.ts'

/** Rules about hashes, ciphers and keys. */
export const cryptoRules: readonly Rule[] = [
  {
    id: 'crypto/weak-hash',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-327',
    description: 'Uses a hash for which collisions can be made.',
    recommendation: 'Use SHA-256 or BLAKE2; for passwords scrypt or Argon2.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'hashlib.md5',
        'hashlib.sha1',
        'hashlib.md4',
        'hashlib.new',
        'Crypto.Hash.MD5.new',
        'Crypto.Hash.SHA1.new',
        'Crypto.Hash.SHA.new',
        'Crypto.Hash.MD4.new',
        'Crypto.Hash.MD2.new',
        'Cryptodome.Hash.MD5.new',
        'cryptography.hazmat.primitives.hashes.MD5',
        'cryptography.hazmat.primitives.hashes.SHA1',
        'md5.new',
        'sha.new',
        'crypto.createHash',
        'crypto.createHmac',
        'CryptoJS.MD5',
        'CryptoJS.SHA1',
        'crypto-js.MD5',
        'crypto-js.SHA1',
        'md5',
        'sha1',
        '*.md5.create',
        '*.sha1.create',
        'crypt.crypt',
        'hashes.MD5',
        'hashes.SHA1',
        'MD5.new',
        'crypto.subtle.digest',
        'passlib.hash.md5_crypt.hash',
      ],
      when: call => {
        if (isFalse(option(call, 'usedforsecurity'))) return false
        if (/^(hashlib\.new|crypto\.create|crypto\.subtle)/.test(call.name))
          return /^(rsa-)?(md[245]|sha-?1|ripemd|rmd160)$/.test(lower(given(call, 0, 'name')))
        return true
      },
    },
    examples: {
      bad: [
        "import hashlib\nhashlib.md5(b'x')",
        "import hashlib\nhashlib.new('sha1')",
        { language: 'javascript', code: "require('crypto').createHash('md5')" },
      ],
      good: ["import hashlib\nhashlib.sha256(b'x')", "import hashlib\nhashlib.md5(b'x', usedforsecurity=False)"],
    },
  },
  {
    id: 'crypto/password-hash',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-916',
    description: 'Hashes a password with a fast hash, or with too little work.',
    recommendation: 'Use scrypt, bcrypt or Argon2 with the work factors of today.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: [
        'hashlib.sha256',
        'hashlib.sha512',
        'hashlib.sha224',
        'hashlib.sha384',
        'hashlib.sha3_256',
        'hashlib.sha3_512',
        'hashlib.blake2b',
        'hashlib.blake2s',
        'base64.b64encode',
        'crypto.createHash().update',
        'crypto-js.SHA256',
        'CryptoJS.SHA256',
        'zlib.crc32',
        'zlib.adler32',
        'hashlib.pbkdf2_hmac',
        'crypto.pbkdf2Sync',
        'crypto.pbkdf2',
        'bcrypt.gensalt',
        'bcrypt.hashSync',
        'bcrypt.hash',
        '*.PBKDF2HMAC',
        'PBKDF2HMAC',
        'werkzeug.security.generate_password_hash',
        'django.contrib.auth.hashers.make_password',
      ],
      when: call => {
        if (/generate_password_hash|make_password/.test(call.name))
          return call.args
            .concat([...call.named.values()])
            .some(value => /^(plain|md5|sha1|unsalted_\w+)$/.test(lower(value)))
        // Text that anybody can turn back, or a number of which there are few.
        if (/^(base64|zlib)\./.test(call.name))
          return /(store|hash|save|protect|encrypt)\w*passw/i.test(call.within ?? '')
        if (/pbkdf2/i.test(call.name)) {
          const rounds = numberIn(given(call, call.name.startsWith('hashlib') ? 3 : 2, 'iterations'))
          return rounds !== null && rounds < 100_000
        }
        if (call.name === 'bcrypt.gensalt') return (numberIn(given(call, 0, 'rounds')) ?? 12) < 10
        if (call.name.startsWith('bcrypt')) return (numberIn(call.args[1]) ?? 12) < 10
        return call.args.some(value => names(value, /passw|pwd|^pw$/i)) || /passw/i.test(call.within ?? '')
      },
    },
    examples: {
      bad: [
        "import hashlib\nhashlib.pbkdf2_hmac('sha256', p, s, 1000)",
        "from werkzeug.security import generate_password_hash\ngenerate_password_hash(p, method='md5')",
        'import hashlib\ndef hash_password(x):\n    return hashlib.sha256(x).hexdigest()',
        'import base64\ndef store_password(x):\n    return base64.b64encode(x)',
      ],
      good: ["import hashlib\nhashlib.pbkdf2_hmac('sha256', p, s, 600000)", 'import hashlib\nhashlib.sha256(data)'],
    },
  },
  {
    id: 'crypto/weak-cipher',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-327',
    description: 'Uses a cipher or a mode that can be broken.',
    recommendation: 'Use AES-GCM or ChaCha20-Poly1305.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'Crypto.Cipher.DES.new',
        'Crypto.Cipher.DES3.new',
        'Crypto.Cipher.ARC4.new',
        'Crypto.Cipher.ARC2.new',
        'Crypto.Cipher.Blowfish.new',
        'Crypto.Cipher.CAST.new',
        'Crypto.Cipher.XOR.new',
        'Cryptodome.Cipher.DES.new',
        'Cryptodome.Cipher.ARC4.new',
        'Cryptodome.Cipher.Blowfish.new',
        'DES.new',
        'ARC4.new',
        'Blowfish.new',
        'AES.new',
        'Crypto.Cipher.AES.new',
        'Cryptodome.Cipher.AES.new',
        'cryptography.hazmat.primitives.ciphers.modes.ECB',
        'modes.ECB',
        'cryptography.hazmat.primitives.ciphers.algorithms.*',
        'algorithms.*',
        'crypto.createCipheriv',
        'crypto.createCipher',
        'crypto.createDecipher',
        'crypto.createDecipheriv',
        'CryptoJS.DES.encrypt',
        'CryptoJS.RC4.encrypt',
        'CryptoJS.TripleDES.encrypt',
        '*.cipher.createCipher',
        'pyDes.des',
        'pyDes.triple_des',
      ],
      when: call => {
        if (/AES\.new$/.test(call.name))
          return (
            call.args.length < 2 || everything(call).some(value => names(value, /MODE_ECB/) || numberIn(value) === 1)
          )
        if (call.name.includes('algorithms.'))
          return /algorithms\.(ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)$/.test(call.name)
        if (/createCipher$|createDecipher$/.test(call.name)) return true
        if (call.name.startsWith('crypto.')) return /des|rc[24]|ecb|bf|blowfish/.test(lower(call.args[0]))
        return true
      },
    },
    examples: {
      bad: [
        'from Crypto.Cipher import DES\nDES.new(k)',
        'from Crypto.Cipher import AES\nAES.new(k, AES.MODE_ECB)',
        { language: 'javascript', code: "require('crypto').createCipheriv('des-ecb', k, i)" },
      ],
      good: [
        'from Crypto.Cipher import AES\nAES.new(k, AES.MODE_GCM)',
        { language: 'javascript', code: "require('crypto').createCipheriv('aes-256-gcm', k, i)" },
      ],
    },
  },
  {
    id: 'crypto/short-key',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-326',
    description: 'Makes a key that is too short.',
    recommendation: 'RSA and DSA: 3072 bits or more; curves: P-256 or more.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'Crypto.PublicKey.RSA.generate',
        'Crypto.PublicKey.DSA.generate',
        'Cryptodome.PublicKey.RSA.generate',
        'RSA.generate',
        'DSA.generate',
        'rsa.generate_private_key',
        'dsa.generate_private_key',
        'cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key',
        'cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key',
        'rsa.newkeys',
        'crypto.generateKeyPairSync',
        'crypto.generateKeyPair',
      ],
      when: call =>
        [...everything(call), option(call, 'modulusLength')].some(value => {
          const bits = numberIn(value)
          return bits !== null && bits >= 256 && bits < 2048
        }),
    },
    examples: {
      bad: ['from Crypto.PublicKey import RSA\nRSA.generate(1024)'],
      good: ['from Crypto.PublicKey import RSA\nRSA.generate(4096)'],
    },
  },
  {
    id: 'crypto/fixed-iv',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-329',
    description: 'Uses a key, salt or initialisation vector that is written into the code.',
    recommendation: 'Make a new random one each time and store it with the result.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'AES.new',
        'Crypto.Cipher.AES.new',
        'Cryptodome.Cipher.AES.new',
        'crypto.createCipheriv',
        'crypto.createDecipheriv',
        'hashlib.pbkdf2_hmac',
        'hashlib.scrypt',
        'crypto.scryptSync',
        'crypto.pbkdf2Sync',
        'cryptography.fernet.Fernet',
        'modes.CBC',
        'cryptography.hazmat.primitives.ciphers.modes.CBC',
        'hmac.new',
        'crypto.createHmac',
        'bcrypt.hashpw',
      ],
      when: call => {
        // A buffer of zeros is as fixed as a text.
        if (call.args.slice(1).some(value => names(value, /^(Buffer\.alloc|bytes|bytearray)\(\)$/))) return true
        const from = call.name === 'hashlib.pbkdf2_hmac' ? 2 : /^(crypto|hashlib|bcrypt)\./.test(call.name) ? 1 : 0
        const until = call.name.startsWith('hmac') ? 1 : 4
        return (
          call.args
            .slice(from, until)
            .some(value => value.kind === 'text' && value.text.length >= (/scrypt|pbkdf2/.test(call.name) ? 1 : 6)) ||
          ['iv', 'salt', 'key', 'nonce', 'IV'].some(name => (textOf(call.named.get(name)) ?? '').length >= 6)
        )
      },
    },
    examples: {
      bad: [
        "from Crypto.Cipher import AES\nAES.new(b'0123456789abcdef', AES.MODE_CBC, iv)",
        "from Crypto.Cipher import AES\nAES.new(key, AES.MODE_CBC, b'x' * AES.block_size)",
        { language: 'javascript', code: "crypto.createCipheriv('aes-256-cbc', key, Buffer.alloc(16, 0))" },
      ],
      good: [
        'from Crypto.Cipher import AES\nAES.new(key, AES.MODE_GCM)',
        "import hashlib, secrets\nhashlib.pbkdf2_hmac('sha256', b'correct horse', secrets.token_bytes(16), 200_000)",
      ],
    },
  },
  {
    id: 'crypto/pseudo-random-bytes',
    languages: scripts,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-338',
    description: 'Uses random bytes that can be predicted.',
    recommendation: 'Use `crypto.randomBytes`.',
    implies: [],
    match: { on: 'call', names: ['crypto.pseudoRandomBytes', 'crypto.rng', 'crypto.prng'] },
    examples: { bad: ["require('crypto').pseudoRandomBytes(8)"], good: ["require('crypto').randomBytes(8)"] },
  },
]

import { join } from 'node:path'
import { safeStorage } from 'electron'
import { fileKeyStore, isSealed, type KeyStore, sealMark } from '../src/keystore.ts'

/**
 * Keys sealed by the system's key store. Where the system has none (Linux without a keyring), they stay files with
 * mode 0600, as in the other doors, and are read as they are.
 */
export function desktopKeyStore(home: string): KeyStore {
  return fileKeyStore(join(home, 'keys'), {
    seal: bytes =>
      canSeal() ? Buffer.concat([sealMark, safeStorage.encryptString(Buffer.from(bytes).toString('base64'))]) : bytes,
    open: bytes =>
      isSealed(bytes)
        ? Buffer.from(safeStorage.decryptString(Buffer.from(bytes).subarray(sealMark.length)), 'base64')
        : bytes,
  })
}

/** `basic_text` is a fixed password that anyone can look up: worse than a file that only its owner can read. */
const canSeal = () =>
  safeStorage.isEncryptionAvailable() &&
  (process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text')

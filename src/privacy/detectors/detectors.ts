import { assigned } from './assigned.ts'
import { births } from './births.ts'
import { companies } from './companies.ts'
import { contact } from './contact.ts'
import type { Detector } from './detector.ts'
import { americas } from './identity-americas.ts'
import { asia } from './identity-asia.ts'
import { centralEurope } from './identity-central-europe.ts'
import { europe } from './identity-europe.ts'
import { outerEurope } from './identity-europe-outer.ts'
import { furtherIdentity } from './identity-further.ts'
import { germanyAndItaly } from './identity-germany-italy.ts'
import { isles } from './identity-isles.ts'
import { latinAmerica } from './identity-latin-america.ts'
import { orient } from './identity-orient.ts'
import { keys } from './keys.ts'
import { labelled } from './labelled.ts'
import { money } from './money.ts'
import { names } from './names.ts'
import { network } from './network.ts'
import { places } from './places.ts'
import { cloudSecrets } from './secrets-clouds.ts'
import { furtherSecrets } from './secrets-further.ts'
import { platformSecrets } from './secrets-platforms.ts'
import { serviceSecrets } from './secrets-services.ts'
import { toolSecrets } from './secrets-tools.ts'
import { vendorSecrets } from './secrets-vendors.ts'
import { vehicles } from './vehicles.ts'

/** Every detector there is. */
export const detectors: readonly Detector[] = [
  ...contact,
  ...births,
  ...places,
  ...money,
  ...isles,
  ...europe,
  ...outerEurope,
  ...centralEurope,
  ...americas,
  ...latinAmerica,
  ...asia,
  ...orient,
  ...germanyAndItaly,
  ...furtherIdentity,
  ...companies,
  ...vehicles,
  ...labelled,
  ...network,
  ...keys,
  ...assigned,
  ...platformSecrets,
  ...cloudSecrets,
  ...serviceSecrets,
  ...toolSecrets,
  ...vendorSecrets,
  ...furtherSecrets,
  ...names,
]

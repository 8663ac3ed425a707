/** The person has to log in: nobody can do that for them. */
export class SignIn extends Error {}

package dev.berth.identity;

/**
 * What logins and tokens need: the valid tokens, the open login codes, the cookie's format and the
 * users that are served.
 */
public record Sessions(
        Credentials credentials, LoginCodes codes, SessionCookie cookie, ServedUsers users) {}

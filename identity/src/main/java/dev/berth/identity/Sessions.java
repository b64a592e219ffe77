package dev.berth.identity;

/** What logins and tokens need: the valid tokens, the open login codes and the cookie's format. */
public record Sessions(Credentials credentials, LoginCodes codes, SessionCookie cookie) {}

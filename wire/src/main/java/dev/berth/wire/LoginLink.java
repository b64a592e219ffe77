package dev.berth.wire;

/**
 * An address that logs a browser in; it works once.
 *
 * @param url contains a secret
 */
public record LoginLink(String url, String expiresAt) {

    @Override
    public String toString() {
        return "LoginLink[until " + expiresAt + "]";
    }
}

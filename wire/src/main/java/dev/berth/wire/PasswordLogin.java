package dev.berth.wire;

/** A login by the password of an account. */
public record PasswordLogin(String user, String password) {

    /** Without the password, which must not appear in a log. */
    @Override
    public String toString() {
        return "login of " + user;
    }
}

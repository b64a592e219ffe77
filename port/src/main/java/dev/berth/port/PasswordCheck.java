package dev.berth.port;

/**
 * Checks passwords as the machine's own login does. A wrong password takes seconds: not for shared
 * threads.
 */
public interface PasswordCheck {

    Verdict check(Login login) throws InterruptedException;

    /**
     * What somebody entered.
     *
     * @param address of the client, for the machine's own log
     */
    record Login(String user, String password, String address) {

        /** Without the password, which must not appear in a log. */
        @Override
        public String toString() {
            return "login of " + user + " from " + address;
        }
    }

    /** The result. */
    sealed interface Verdict {
        /**
         * @param user the name of the account, which may differ from what was entered
         */
        record Correct(String user) implements Verdict {}

        /** The same for an unknown user, a wrong password and a locked account. */
        record Wrong() implements Verdict {}

        /** The password could not be checked. */
        record Unavailable(String why) implements Verdict {}
    }
}

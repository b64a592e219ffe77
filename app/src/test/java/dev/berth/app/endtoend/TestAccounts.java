package dev.berth.app.endtoend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Accounts of this machine that exist for one test. Only root creates them. */
final class TestAccounts implements AutoCloseable {

    private static final int TRIES = 50;

    /** Tests of one JVM run at the same time. */
    private static final AtomicInteger CREATED = new AtomicInteger();

    private final List<Account> accounts = new ArrayList<>();

    record Account(String name, int uid) {}

    static boolean canBeCreated() {
        return System.getProperty("user.name").equals("root")
                && Path.of("/usr/sbin/useradd").toFile().canExecute()
                && Path.of("/usr/bin/setpriv").toFile().canExecute();
    }

    /** With a uid of a person. Names are unique, because tests run at the same time. */
    Account create() throws IOException, InterruptedException {
        var name =
                "bt"
                        + Long.toString(ProcessHandle.current().pid(), 36)
                        + "x"
                        + CREATED.incrementAndGet();
        // Another test may hold the lock of /etc/passwd.
        boolean isCreated = false;
        for (int i = 0; i < TRIES && !isCreated; i++) {
            isCreated =
                    run(
                                    "/usr/sbin/useradd",
                                    "--no-create-home",
                                    "--home-dir",
                                    "/",
                                    "--shell",
                                    "/bin/bash",
                                    "--key",
                                    "UID_MIN=20000",
                                    name)
                            == 0;
        }
        if (!isCreated) {
            throw new IOException("useradd " + name + " failed");
        }
        var uid = new ProcessBuilder("/usr/bin/id", "-u", name).start();
        var text =
                new String(uid.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        var account = new Account(name, Integer.parseInt(text));
        accounts.add(account);
        return account;
    }

    /** Makes an account a member of a further group, which exists on every Linux. */
    void join(Account account, String group) throws IOException, InterruptedException {
        boolean isMember = false;
        for (int i = 0; i < TRIES && !isMember; i++) {
            isMember = run("/usr/sbin/usermod", "--append", "--groups", group, account.name()) == 0;
        }
        if (!isMember) {
            throw new IOException("usermod " + account.name() + " failed");
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        return process.waitFor(3, TimeUnit.MINUTES) ? process.exitValue() : 1;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (var account : accounts) {
            run("/usr/sbin/userdel", "--force", account.name());
        }
    }
}

package dev.berth.app.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;

/** The server of a machine and its users, for one test. */
final class SystemHarness implements AutoCloseable {

    private final TestAccounts accounts;
    private final List<TestAccounts.Account> users;
    private final SystemProcesses processes;

    private SystemHarness(
            TestAccounts accounts, List<TestAccounts.Account> users, SystemProcesses processes) {
        this.accounts = accounts;
        this.users = List.copyOf(users);
        this.processes = processes;
    }

    /** Creates the accounts and starts nothing. */
    static SystemHarness prepare(String gpus, int users) throws Exception {
        assumeTrue(TestAccounts.canBeCreated(), "needs root, useradd and setpriv");
        assumeTrue(
                System.getProperty("berth.dist") != null,
                "needs the packaged program, which other users can read");
        var accounts = new TestAccounts();
        var server = accounts.create();
        var created = new ArrayList<TestAccounts.Account>();
        for (int i = 0; i < users; i++) {
            created.add(accounts.create());
        }
        return new SystemHarness(accounts, created, new SystemProcesses(server.name(), gpus));
    }

    /** Returns when the server accepts requests. */
    static SystemHarness start(String gpus, int users) throws Exception {
        var harness = prepare(gpus, users);
        harness.processes().start();
        return harness;
    }

    SystemProcesses processes() {
        return processes;
    }

    List<TestAccounts.Account> users() {
        return users;
    }

    TestAccounts.Account user(int index) {
        return users.get(index);
    }

    /** Makes a user a member of a further group, which exists. */
    void join(TestAccounts.Account user, String group) throws Exception {
        accounts.join(user, group);
    }

    /** Requests of this user. */
    UserTestClient as(TestAccounts.Account user) {
        return new UserTestClient(user.name(), processes.socket());
    }

    @Override
    public void close() throws Exception {
        processes.close();
        accounts.close();
    }
}

package dev.berth.server;

import dev.berth.core.access.Role;
import dev.berth.core.access.Token;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineCommand;
import dev.berth.identity.AuthMode;
import dev.berth.identity.LoginLimit;
import dev.berth.identity.RoleRules;
import dev.berth.identity.Secret;
import dev.berth.identity.ServedUsers;
import dev.berth.runs.FileRuns;
import dev.berth.runs.RunResources;
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.access.PasswordLogins;
import dev.berth.server.api.command.CommandFileSets;
import dev.berth.server.api.command.SharedCommandFiles;
import dev.berth.server.api.command.UserCommandFiles;
import dev.berth.server.api.people.KnownNames;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.testkit.FakeAccounts;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A server for all users of a machine, with its users and their credentials. */
public final class SystemServer {

    public static final String ALICE = "alice";
    public static final String BOB = "bob";

    /** A viewer. */
    public static final String CAROL = "carol";

    /** An admin by the name of a group. */
    public static final String DAVE = "dave";

    private static final RoleRules ROLES =
            new RoleRules(
                    new RoleRules.Members(Set.of(), Optional.of("wheel")),
                    new RoleRules.Members(Set.of(CAROL), Optional.empty()),
                    RoleRules.Members.NONE,
                    Optional.of(Role.USER));

    private SystemServer() {}

    static TestServer open(
            TaskAccess.View others,
            Optional<AccessSettings.ProxyHeader> proxy,
            FakeAccounts machine)
            throws Exception {
        var home = Files.createTempDirectory("berth-system-");
        var system = new AccessSettings.SystemAccess(home.resolve("berth.sock"), ROLES);
        var settings =
                HttpSettings.onLoopback(home, 0, AuthMode.TOKEN)
                        .with(new AccessSettings(Optional.of(system), proxy, true));
        var options =
                new TestServer.Options(
                        SchedulingRules.DEFAULT,
                        Duration.ofDays(1),
                        List.of(),
                        OwnerAccounts.of(machine),
                        new TaskAccess(others),
                        machine);
        return TestServer.open(settings, options);
    }

    static FakeAccounts machine() {
        return new FakeAccounts()
                .with("root", 0)
                .with(ALICE, 1001, "lab")
                .with(BOB, 1002, "lab")
                .with(CAROL, 1003)
                .with(DAVE, 1004, "wheel");
    }

    static KnownNames names(OwnerAccounts accounts) {
        return new KnownNames(accounts.ofMachine());
    }

    static CommandFileSets commandFiles(
            HttpSettings settings, RunResources lanes, FileRuns runs, ServedUsers users) {
        return settings.access().isSystem()
                ? new UserCommandFiles(lanes, runs, users)
                : new SharedCommandFiles(lanes);
    }

    static PasswordLogins passwordLogins(TestServer server, HttpSettings settings) {
        return new PasswordLogins(
                Optional.of(login -> server.passwords.check(login)),
                new LoginLimit(System::nanoTime),
                settings.isBehindProxy(),
                System::nanoTime);
    }

    /** A header with a token of this user. */
    static String token(TestServer server, String user, String name) throws Exception {
        return "Authorization: Bearer " + credential(server, user, name, Token.Kind.TOKEN);
    }

    /** A header with the cookie of this user's browser. */
    static String cookie(TestServer server, String user) throws Exception {
        return "Cookie: "
                + server.door.sessionCookie().name()
                + "="
                + credential(server, user, "browser", Token.Kind.SESSION);
    }

    private static String credential(TestServer server, String user, String name, Token.Kind kind)
            throws Exception {
        var secret = kind == Token.Kind.TOKEN ? Secret.token() : Secret.plain();
        var credential = new Token.Credential(kind, name, secret.hash(), Optional.empty());
        server.engine
                .ask(
                        new EngineCommand.CreateToken(
                                server.engine.now(), Owner.unix(user), credential))
                .get();
        return secret.text();
    }
}

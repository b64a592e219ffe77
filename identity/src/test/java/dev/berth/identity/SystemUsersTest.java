package dev.berth.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Role;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;
import dev.berth.testkit.FakeAccounts;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

class SystemUsersTest {

    private static final ServerUser SERVER = new ServerUser("berth", 990, true);

    private final FakeAccounts accounts =
            new FakeAccounts()
                    .with("root", 0, "root")
                    .with("alice", 1001, "lab")
                    .with("bob", 1002, "lab", "wheel")
                    .with("carol", 1003, "guests")
                    .with("1004", 1005);
    private final AtomicLong nanos = new AtomicLong();

    private SystemUsers users(RoleRules rules) {
        return new SystemUsers(new CachedAccounts(accounts, nanos::get), rules, SERVER);
    }

    private static RoleRules.Members group(String name) {
        return new RoleRules.Members(Set.of(), Optional.of(name));
    }

    private static RoleRules.Members names(String... names) {
        return new RoleRules.Members(Set.of(names), Optional.empty());
    }

    private static Optional<Role> role(UserAccess access) {
        return access instanceof UserAccess.Served served
                ? Optional.of(served.role())
                : Optional.empty();
    }

    @Test
    void everyAccountIsAUserAndRootAnAdmin() {
        var users = users(RoleRules.DEFAULT);
        assertThat(users.withUid(1001))
                .isEqualTo(new UserAccess.Served(Owner.unix("alice"), 1001, Role.USER));
        assertThat(role(users.withUid(0))).contains(Role.ADMIN);
        assertThat(role(users.named("bob"))).contains(Role.USER);
        assertThat(role(users.of(Owner.unix("carol")))).contains(Role.USER);
    }

    @Test
    void groupsAndNamesGiveRoles() {
        var rules = new RoleRules(group("wheel"), group("guests"), names("1004"), Optional.empty());
        var users = users(rules);
        assertThat(role(users.named("bob"))).contains(Role.ADMIN);
        assertThat(role(users.named("carol"))).contains(Role.VIEWER);
        assertThat(role(users.named("1004"))).contains(Role.USER);
        assertThat(users.named("alice"))
                .isEqualTo(new UserAccess.Refused(UserAccess.Reason.NO_ROLE, "alice"));
        assertThat(role(users.withUid(0))).contains(Role.ADMIN);
        var named =
                users(
                        new RoleRules(
                                names("carol"),
                                names("carol"),
                                group("lab"),
                                Optional.of(Role.VIEWER)));
        assertThat(role(named.named("carol"))).contains(Role.ADMIN);
        assertThat(role(named.named("alice"))).contains(Role.USER);
        assertThat(role(named.named("1004"))).contains(Role.VIEWER);
    }

    @Test
    void uidWithoutAccountIsNotTheUserWhoHasItsNumberAsName() {
        var users = users(RoleRules.DEFAULT);
        assertThat(users.withUid(1004))
                .isEqualTo(new UserAccess.Refused(UserAccess.Reason.NO_ACCOUNT, "uid 1004"));
        assertThat(users.of(Owner.unnamed(1004))).isInstanceOf(UserAccess.Refused.class);
        assertThat(users.withUid(1005))
                .isEqualTo(new UserAccess.Served(Owner.unix("1004"), 1005, Role.USER));
        assertThat(users.withUid(-2)).isInstanceOf(UserAccess.Refused.class);
    }

    @Test
    void removedAccountIsRefusedAfterAMinute() {
        var users = users(RoleRules.DEFAULT);
        var caller = new Caller(Owner.unix("alice"), 1001, Role.USER, Via.TOKEN, Optional.empty());
        assertThat(users.isStillServed(caller)).isTrue();
        accounts.remove("alice");
        assertThat(users.isStillServed(caller)).isTrue();
        nanos.addAndGet(CachedAccounts.FRESH.toNanos());
        assertThat(users.isStillServed(caller)).isFalse();
        assertThat(users.of(Owner.unix("alice"))).isInstanceOf(UserAccess.Refused.class);
    }

    @Test
    void callerWhoLosesARoleOrWhoseNameGetsAnotherUidIsNotServedAnyMore() {
        var users =
                users(
                        new RoleRules(
                                group("wheel"), group("guests"), names(), Optional.of(Role.USER)));
        var bob = new Caller(Owner.unix("bob"), 1002, Role.ADMIN, Via.SOCKET, Optional.empty());
        assertThat(users.isStillServed(bob)).isTrue();
        accounts.with("bob", 1002, "lab");
        nanos.addAndGet(CachedAccounts.FRESH.toNanos());
        assertThat(users.isStillServed(bob)).isFalse();
        var alice = new Caller(Owner.unix("alice"), 1001, Role.USER, Via.TOKEN, Optional.empty());
        accounts.with("alice", 2001);
        assertThat(users.isStillServed(alice)).isFalse();
    }

    @Test
    void outageOfTheNameServicesLocksNobodyOutForSomeMinutes() {
        var users = users(RoleRules.DEFAULT);
        assertThat(role(users.named("alice"))).contains(Role.USER);
        accounts.fail();
        nanos.addAndGet(CachedAccounts.USABLE.minus(Duration.ofSeconds(1)).toNanos());
        assertThat(role(users.named("alice"))).contains(Role.USER);
        assertThat(users.named("bob")).isInstanceOf(UserAccess.Unreadable.class);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(users.named("alice")).isInstanceOf(UserAccess.Unreadable.class);
    }
}

package dev.berth.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.access.Role;
import dev.berth.core.task.Owner;

import org.junit.jupiter.api.Test;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.attribute.UserPrincipal;

class ServerUserTest {

    private static final int SERVER = 12_345;

    private static UserPrincipal user(int uid) throws Exception {
        return FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(uid));
    }

    private static PersonalUsers personal(int uid) throws Exception {
        return new PersonalUsers(ServerUser.of(user(uid), uid));
    }

    @Test
    void servesOnlyItselfAndRoot() throws Exception {
        var users = personal(SERVER);
        var own = Owner.unnamed(SERVER);
        assertThat(users.withUid(SERVER)).isEqualTo(new UserAccess.Served(own, SERVER, Role.ADMIN));
        assertThat(users.withUid(0))
                .isEqualTo(new UserAccess.Served(Owner.unix("root"), 0, Role.ADMIN));
        assertThat(users.withUid(SERVER + 1)).isInstanceOf(UserAccess.Refused.class);
        assertThat(users.of(own)).isInstanceOf(UserAccess.Served.class);
        assertThat(users.of(Owner.unix("root"))).isInstanceOf(UserAccess.Served.class);
        assertThat(users.of(Owner.unix("ann"))).isInstanceOf(UserAccess.Refused.class);
    }

    /** The kernel writes {@code -1} for a user that has no number in this namespace. */
    @Test
    void rootServerServesOnlyRoot() throws Exception {
        var users = new PersonalUsers(new ServerUser("root", 0, true));
        assertThat(users.withUid(0)).isInstanceOf(UserAccess.Served.class);
        assertThat(users.withUid(65_534)).isInstanceOf(UserAccess.Refused.class);
        assertThat(users.withUid(-1)).isInstanceOf(UserAccess.Refused.class);
    }

    @Test
    void programsOnLoopbackActForTheServersUser() throws Exception {
        var users = personal(SERVER);
        assertThat(users.onLoopback(0))
                .isEqualTo(new UserAccess.Served(Owner.unnamed(SERVER), SERVER, Role.ADMIN));
        assertThat(users.onLoopback(SERVER + 1)).isInstanceOf(UserAccess.Refused.class);
    }

    /** Earlier versions stored such an owner as if the number were a name. */
    @Test
    void tokensOfAnEarlierVersionStayValidWithoutAnAccount() throws Exception {
        var users = personal(SERVER);
        assertThat(users.of(Owner.unix("12345"))).isInstanceOf(UserAccess.Served.class);
        assertThat(Owner.unix("12345").principal()).isNotEqualTo(Owner.unnamed(SERVER).principal());
    }

    @Test
    void principalsRevealTheirUid() throws Exception {
        var made = Files.createTempFile("uid-", "");
        var uid = (Integer) Files.getAttribute(made, "unix:uid");
        assertThat(PeerUid.of(Files.getOwner(made))).isEqualTo(uid);
        assertThat(PeerUid.of(user(123_456))).isEqualTo(123_456);
        assertThatThrownBy(() -> ServerUser.of(user(123_456), 1))
                .isInstanceOf(IllegalStateException.class);
        Files.delete(made);
    }
}

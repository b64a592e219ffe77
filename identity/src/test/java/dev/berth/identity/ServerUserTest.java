package dev.berth.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;

class ServerUserTest {

    private static UserPrincipal user(int uid) throws Exception {
        return FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(uid));
    }

    @Test
    void servesOnlyItselfAndRoot() throws Exception {
        var server = new ServerUser(user(12_345), 12_345);
        assertThat(server.serves(user(12_345))).isTrue();
        assertThat(server.serves(user(0))).isTrue();
        assertThat(server.serves(user(12_346))).isFalse();
        assertThat(server.serves(12_345)).isTrue();
        assertThat(server.serves(0)).isTrue();
        assertThat(server.serves(12_346)).isFalse();
    }

    /** The kernel writes {@code -1} for a user that has no number in this namespace. */
    @Test
    void rootServerServesOnlyRoot() throws Exception {
        var server = new ServerUser(user(0), 0);
        assertThat(server.serves(user(0))).isTrue();
        assertThat(server.serves(user(65_534))).isFalse();
        assertThat(server.serves(-1)).isFalse();
    }
}

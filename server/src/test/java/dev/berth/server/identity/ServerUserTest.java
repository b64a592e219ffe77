package dev.berth.server.identity;

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
    void servesItselfAndRootAndNobodyElse() throws Exception {
        var server = new ServerUser(user(12_345), 12_345);
        assertThat(server.serves(user(12_345))).isTrue();
        assertThat(server.serves(user(0))).isTrue();
        assertThat(server.serves(user(12_346))).isFalse();
        assertThat(server.serves(12_345)).isTrue();
        assertThat(server.serves(0)).isTrue();
        assertThat(server.serves(12_346)).isFalse();
    }

    /** {@code -1} is what the kernel writes for a user that this namespace has no number for. */
    @Test
    void aServerOfRootServesRootAlone() throws Exception {
        var server = new ServerUser(user(0), 0);
        assertThat(server.serves(user(0))).isTrue();
        assertThat(server.serves(user(65_534))).isFalse();
        assertThat(server.serves(-1)).isFalse();
    }
}

package dev.berth.node.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.port.read.Accounts.Account;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;

/** Every Linux has the account root. */
class LocalAccountsTest {

    private final LocalAccounts accounts = new LocalAccounts();

    @AfterEach
    void close() {
        accounts.close();
    }

    @Test
    void anAccountIsFoundByNameAndByUid() throws IOException {
        var root = accounts.named("root").orElseThrow();

        assertThat(root.name()).isEqualTo("root");
        assertThat(root.uid()).isZero();
        assertThat(root.gid()).isZero();
        assertThat(root.home()).isEqualTo(Path.of("/root"));
        assertThat(root.shell()).isAbsolute();
        assertThat(root.gids()).startsWith(0);
        assertThat(root.groups()).contains("root");
        assertThat(accounts.withUid(0)).contains(root);
    }

    @Test
    void aNumberIsNeverTakenForAUid() throws IOException {
        assertThat(accounts.named("0")).isEmpty();
        assertThat(accounts.named("+0")).isEmpty();
        assertThat(accounts.withUid(0)).map(Account::name).contains("root");
        assertThat(accounts.named("0")).as("the entry of the uid is kept apart").isEmpty();
    }

    @Test
    void aGroupIsFoundByName() throws IOException {
        assertThat(accounts.hasGroup("root")).isTrue();
        for (var name : new String[] {"", "0", "no such group", "root\0x", "x".repeat(10_000)}) {
            assertThat(accounts.hasGroup(name)).as(name).isFalse();
        }
    }

    @Test
    void whatDoesNotExistIsEmpty() throws IOException {
        for (var name :
                new String[] {"", "no such user", "root\0x", "../root", "x".repeat(10_000)}) {
            assertThat(accounts.named(name)).as(name).isEmpty();
        }
        assertThat(accounts.withUid(1_999_999_999)).isEmpty();
        assertThat(accounts.withUid(-2)).isEmpty();
    }

    /** A request may still ask while the server stops. */
    @Test
    void afterTheEndAQuestionFailsAsWhileTheServicesAreAway() {
        accounts.close();

        assertThatThrownBy(() -> accounts.named("root")).isInstanceOf(IOException.class);
    }
}

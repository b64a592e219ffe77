package dev.berth.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.task.Owner;
import dev.berth.server.http.Refused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

class WorkDirsTest {

    @TempDir private Path directory;

    private WorkDirs listing(String... rows) throws Exception {
        return new WorkDirs(
                Files.writeString(directory.resolve("passwd"), String.join("\n", rows)), directory);
    }

    @Test
    void theOwnersHomeUnlessStated() throws Exception {
        var home = Files.createDirectory(directory.resolve("alice"));
        var dirs =
                listing(
                        "bob:x:1:1::/nowhere:/bin/sh",
                        "alice:x:2:2:A:" + home + ":/bin/sh",
                        "odd line");
        assertThat(dirs.look().of(Optional.empty(), Owner.unix("alice")))
                .isEqualTo(home.toString());
        assertThat(dirs.look().of(Optional.of("/tmp"), Owner.unix("alice"))).isEqualTo("/tmp");
    }

    @Test
    void theServersOwnHomeForThoseWithout() throws Exception {
        var dirs = listing("bob:x:1:1::/nowhere:/bin/sh");
        assertThat(dirs.look().of(Optional.empty(), Owner.unix("bob")))
                .isEqualTo(directory.toString());
        assertThat(dirs.look().of(Optional.empty(), Owner.unix("carol")))
                .isEqualTo(directory.toString());
        var nobody = new WorkDirs(directory.resolve("missing"), Path.of("/nonexistent"));
        assertThat(nobody.look().of(Optional.empty(), Owner.unix("carol"))).isEqualTo("/");
    }

    @Test
    void aDirectoryThatIsNotThereIsRefused() throws Exception {
        var dirs = listing();
        assertThatThrownBy(() -> dirs.look().of(Optional.of("/no/such/place"), Owner.unix("a")))
                .isInstanceOf(Refused.class);
        assertThatThrownBy(() -> dirs.look().of(Optional.of("x"), Owner.unix("a")))
                .isInstanceOf(Refused.class);
    }
}

package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.task.Owner;
import dev.berth.files.UserPaths;
import dev.berth.http.RejectedException;
import dev.berth.http.ResponseBody;
import dev.berth.wire.Problem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

class WorkingDirectoriesTest {

    private final UserPaths paths = UserPaths.withOwnThreads();

    @TempDir private Path directory;

    private WorkingDirectories listing(String... rows) throws Exception {
        return new WorkingDirectories(
                Files.writeString(directory.resolve("passwd"), String.join("\n", rows)),
                directory,
                paths);
    }

    @Test
    void ownersHomeByDefault() throws Exception {
        var home = Files.createDirectory(directory.resolve("alice"));
        var dirs =
                listing(
                        "bob:x:1:1::/nowhere:/bin/sh",
                        "alice:x:2:2:A:" + home + ":/bin/sh",
                        "odd line");
        assertThat(dirs.newLookup().of(Optional.empty(), Owner.unix("alice")))
                .isEqualTo(home.toString());
        assertThat(dirs.newLookup().of(Optional.of("/tmp"), Owner.unix("alice"))).isEqualTo("/tmp");
    }

    @Test
    void serversHomeForUsersWithoutOne() throws Exception {
        var dirs = listing("bob:x:1:1::/nowhere:/bin/sh");
        assertThat(dirs.newLookup().of(Optional.empty(), Owner.unix("bob")))
                .isEqualTo(directory.toString());
        assertThat(dirs.newLookup().of(Optional.empty(), Owner.unix("carol")))
                .isEqualTo(directory.toString());
        var nobody =
                new WorkingDirectories(
                        directory.resolve("missing"), Path.of("/nonexistent"), paths);
        assertThat(nobody.newLookup().of(Optional.empty(), Owner.unix("carol"))).isEqualTo("/");
    }

    @Test
    void missingDirectoryIsRejected() throws Exception {
        var dirs = listing();
        assertThatThrownBy(
                        () -> dirs.newLookup().of(Optional.of("/no/such/place"), Owner.unix("a")))
                .isInstanceOf(RejectedException.class);
        assertThatThrownBy(() -> dirs.newLookup().of(Optional.of("x"), Owner.unix("a")))
                .isInstanceOf(RejectedException.class);
    }

    @Test
    void eachReasonHasItsOwnSentence() throws Exception {
        assertThat(sentence("x")).endsWith("is not an absolute path.");
        assertThat(sentence("/a\nb")).endsWith("contains a line break: rename the directory.");
        assertThat(sentence("/" + "a".repeat(5000))).endsWith("is longer than a path can be.");
    }

    private static String sentence(String path) {
        try {
            return WorkingDirectories.unexamined(path);
        } catch (RejectedException refused) {
            return refused.response().content() instanceof ResponseBody.Json(Problem problem)
                    ? problem.detail()
                    : "";
        }
    }
}

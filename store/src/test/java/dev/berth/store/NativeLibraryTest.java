package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class NativeLibraryTest {

    @TempDir private Path place;

    @Test
    void aKilledServerLeavesOneLibraryInItsHomeAndNoneElsewhere() throws Exception {
        var temporary = Files.createDirectory(place.resolve("tmp"));
        var library = place.resolve("home/lib/libsqlitejdbc.so");
        start(temporary);
        var first = Files.getLastModifiedTime(library);
        start(temporary);

        assertThat(library.getParent().toFile().list()).containsExactly("libsqlitejdbc.so");
        assertThat(Files.getLastModifiedTime(library)).isEqualTo(first);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void aDamagedCopyIsReplaced() throws Exception {
        var temporary = Files.createDirectory(place.resolve("tmp"));
        var library = place.resolve("home/lib/libsqlitejdbc.so");
        Files.createDirectories(library.getParent());
        Files.writeString(library, "cut off by a loss of power");

        start(temporary);

        assertThat(Files.size(library)).isGreaterThan(100_000);
    }

    private void start(Path temporary) throws Exception {
        var command =
                ChildJvm.command(
                        Server.class,
                        List.of("-Djava.io.tmpdir=" + temporary),
                        place.resolve("home/tasks.db"));
        assertThat(ChildJvm.run(command)).endsWith("opened\nexit 9");
    }

    /** Ends as by kill -9: no shutdown hook runs. */
    static final class Server {
        public static void main(String[] arguments) throws Exception {
            var store = new SqliteTaskStore(Database.open(Path.of(arguments[0])));
            store.open();
            System.out.println("opened");
            Runtime.getRuntime().halt(9);
        }
    }
}

package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.linux.Fifo;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The right to start is one, also where a file was created ahead that becomes {@code go}. */
@ParameterizedClass
@EnumSource
class PendingGoTest {
    @Parameter ShimKind kind;
    @TempDir Path root;
    private ShimFixture shims;

    @BeforeEach
    void open() throws IOException {
        shims = new ShimFixture(root, kind);
    }

    @AfterEach
    void close() throws IOException {
        if (shims != null) {
            shims.close();
        }
    }

    @Test
    void theNativeShimRenamesIt() throws Exception {
        var directory = shims.prepare(shims.order("echo ran"));
        var pending = Files.createFile(directory.path().resolve("go.pending"));
        var before = inode(pending);

        assertThat(shims.run(directory).output()).containsExactly("ran");

        assertThat(GoFile.read(directory.go())).isInstanceOf(GoFile.Taken.class);
        if (kind != ShimKind.BASH) {
            assertThat(inode(directory.go())).isEqualTo(before);
            assertThat(pending).doesNotExist();
        }
    }

    @Test
    void itGivesNoRightIfGoExists() throws Exception {
        var directory = shims.prepare(shims.order("echo ran >>" + root.resolve("out")));
        Files.createFile(directory.path().resolve("go.pending"));
        assertThat(GoFile.writeTombstone(directory.go())).isTrue();

        assertThat(shims.run(directory).log()).isEmpty();

        assertThat(GoFile.read(directory.go())).isInstanceOf(GoFile.Tombstone.class);
        assertThat(root.resolve("out")).doesNotExist();
    }

    @Test
    void onlyOneOfTwoShimsStartsTheCommand() throws Exception {
        for (int i = 0; i < 20; i++) {
            var out = root.resolve("out" + i);
            var bothRun = root.resolve("both" + i);
            var wait = "\nuntil [[ -e " + bothRun + " ]]; do sleep 0.01; done";
            var directory = shims.prepare(shims.order("echo ran >>" + out + wait));
            Files.createFile(directory.path().resolve("go.pending"));
            try (var first = shims.start(directory);
                    var second = shims.start(directory)) {
                Files.createFile(bothRun);
                var _ = first.await();
                var _ = second.await();
                var go = GoFile.read(directory.go());
                assertThat(go)
                        .isIn(new GoFile.Taken(first.shim()), new GoFile.Taken(second.shim()));
            }
            assertThat(out).hasContent("ran");
        }
    }

    @Test
    void somethingElseInItsPlaceIsNoRight() throws Exception {
        var fifo = shims.prepare(shims.order("echo ran"));
        Fifo.create(fifo.path().resolve("go.pending"));
        assertThat(shims.run(fifo).output()).containsExactly("ran");
        assertThat(fifo.go()).isRegularFile();

        var link = shims.prepare(shims.order("echo ran"));
        var target = Files.writeString(root.resolve("other"), "of another program");
        Files.createSymbolicLink(link.path().resolve("go.pending"), target);
        assertThat(shims.run(link).output()).containsExactly("ran");
        assertThat(link.go()).isRegularFile();
        assertThat(target).hasContent("of another program");
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }
}

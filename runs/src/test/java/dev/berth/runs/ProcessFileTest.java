package dev.berth.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.FileExchange;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

class ProcessFileTest {

    @TempDir Path directory;
    private Path file;
    private ProcessFile processes;

    @BeforeEach
    void open() {
        file = directory.resolve("logs/uni_id.json");
        processes = new ProcessFile(() -> file, FileExchange::exchange);
    }

    @Test
    void isCreatedWithItsDirectoryForItsOwnerOnly() throws Exception {
        processes.update(tree -> tree.putObject("a_0").put("pid", 1));

        assertThat(ExternalScript.tree(file).toString()).isEqualTo("{\"a_0\":{\"pid\":1}}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(processes.read().tree().path("a_0").path("pid").asInt()).isEqualTo(1);
    }

    @Test
    void keepsTheTextOfScripts() throws Exception {
        Files.createDirectories(file.getParent());
        var text =
                """
                {"theirs": [1, 2.50, 1e400, "ü", null, NaN], "b_0": {"loss": 0.10, "pid": 12345678901234567890}}
                """;
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));

        processes.update(tree -> tree.putObject("a_0").put("pid", 1));

        assertThat(Files.readString(file).replaceAll("\\s+", ""))
                .isEqualTo(
                        text.replaceAll("\\s+", "")
                                .replaceFirst("}}$", "},\"a_0\":{\"pid\":1}}")
                                .replace("1e400", "1E+400"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw-r--");
        assertThat(file.getParent().toFile().list())
                .containsExactlyInAnyOrder("uni_id.json", "uni_id.json.lock");
    }

    @Test
    void doesNotWriteWithoutAChange() throws Exception {
        processes.update(tree -> tree.putObject("a_0").put("pid", 1));
        var before = ProcessFileContent.FileStamp.of(file);

        processes.update(tree -> tree.withObject("/a_0").put("pid", 1));

        assertThat(ProcessFileContent.FileStamp.of(file)).isEqualTo(before);
    }

    @Test
    void aFileThatIsNotAJsonObjectIsMovedAsideAndRecreated() throws Exception {
        Files.createDirectories(file.getParent());
        for (var text : new String[] {"{\"a\": ", "[1]", "none", "{} {}"}) {
            Files.writeString(file, text);
            processes.update(tree -> tree.putObject("a_0").put("pid", 1));
            assertThat(ExternalScript.tree(file).toString()).isEqualTo("{\"a_0\":{\"pid\":1}}");
        }
        assertThat(file.resolveSibling("uni_id.json.broken-1")).hasContent("{\"a\": ");
        assertThat(file.resolveSibling("uni_id.json.broken-2")).hasContent("[1]");
        assertThat(file.resolveSibling("uni_id.json.broken-3")).hasContent("none");
        assertThat(file.resolveSibling("uni_id.json.broken-4")).hasContent("{} {}");
    }

    @Test
    void anEmptyFileIsNotMovedAside() throws Exception {
        Files.createDirectories(file.getParent());
        Files.createFile(file);

        processes.update(tree -> tree.putObject("a_0"));

        assertThat(ExternalScript.tree(file).has("a_0")).isTrue();
        assertThat(file.resolveSibling("uni_id.json.broken-1")).doesNotExist();
    }

    @Test
    void aKnownContentIsComparedAndNotParsedAgain() throws Exception {
        var path = Files.writeString(directory.resolve("known"), "{\"a\":1}");
        var known = ProcessFileContent.read(path);
        assertThat(ProcessFileContent.read(path, Optional.of(known)).tree()).isSameAs(known.tree());
        Files.writeString(path, "{\"a\":2}");
        assertThat(ProcessFileContent.read(path, Optional.of(known)).tree())
                .isEqualTo(ProcessFileContent.read(path).tree())
                .isNotEqualTo(known.tree());
    }

    @Test
    void waitsForAnIncompleteFile() throws Exception {
        var half = Files.writeString(directory.resolve("half"), "");
        var rest = new ArrayDeque<>(List.of("{\"the", "irs\":", "1}"));

        var text =
                ProcessFileContent.readComplete(
                        half,
                        Optional.empty(),
                        () -> {
                            try {
                                Files.writeString(half, rest.remove(), StandardOpenOption.APPEND);
                            } catch (IOException failure) {
                                throw new AssertionError(failure);
                            }
                        });

        assertThat(text.isBroken()).isFalse();
        assertThat(text.tree().toString()).isEqualTo("{\"theirs\":1}");
    }

    /** Replaces the file immediately before the exchange. */
    private ProcessFile disturbed(Queue<String> replacements) {
        return new ProcessFile(
                () -> file,
                (one, other) -> {
                    var text = replacements.poll();
                    if (text != null) {
                        var own = Files.writeString(file.resolveSibling("own"), text);
                        Files.move(own, file, StandardCopyOption.ATOMIC_MOVE);
                    }
                    return FileExchange.exchange(one, other);
                });
    }

    @Test
    void aWriteDuringTheExchangeIsMerged() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"gone\":1,\"a_0\":{\"state\":\"running\"}}");
        var replacements = new ArrayDeque<String>();
        // The second script had read neither the first one's version nor ours.
        replacements.add("{\"one\":{\"n\":1},\"a_0\":{\"state\":\"running\",\"pid\":7}}");
        replacements.add("{\"gone\":1,\"a_0\":{\"state\":\"running\"},\"two\":2}");
        var disturbed = disturbed(replacements);

        disturbed.update(tree -> tree.withObject("/a_0").put("retry_count", 3));

        assertThat(ExternalScript.tree(file))
                .isEqualTo(
                        tools.jackson.databind.json.JsonMapper.shared()
                                .readTree(
                                        """
                                        {"one":{"n":1},"two":2,
                                         "a_0":{"state":"running","pid":7,"retry_count":3}}
                                        """));
        assertThat(disturbed.hasUnconfirmedEdits()).isTrue();
    }

    @Test
    void aTemporarilyHiddenChangeIsNotTakenForARemoval() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{}");
        var replacements = new ArrayDeque<String>();
        replacements.add("{\"one\":1}");
        var disturbed = disturbed(replacements);
        disturbed.update(tree -> tree.put("a_0", 1));

        replacements.add("{\"a_0\":1,\"two\":2}");
        disturbed.update(tree -> tree.put("a_0", 2));

        assertThat(ExternalScript.tree(file).propertyNames()).contains("one", "two", "a_0");
    }

    @Test
    void aTemporarilyHiddenChangeIsRestored() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{}");
        var replacements = new ArrayDeque<String>();
        replacements.add("{\"one\":1}");
        var disturbed = disturbed(replacements);
        disturbed.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("one", "a_0");

        // By a script that read the file while "one" was hidden.
        Files.writeString(file, "{\"a_0\":1,\"two\":2}");
        disturbed.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).propertyNames()).contains("one", "two", "a_0");

        // By a script that has seen it: from now on a removal is intended.
        Files.writeString(file, "{\"a_0\":1,\"one\":1}");
        disturbed.update(tree -> tree.put("a_0", 1));
        Files.writeString(file, "{\"a_0\":1}");
        disturbed.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("a_0");
    }

    @Test
    void recoversTheTemporaryFileOfACrashedServer() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"a_0\":{\"pid\":1}}");
        Files.writeString(file.resolveSibling(".uni_id.json.berth"), "{\"theirs\":1}");

        processes.update(_ -> {});

        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("a_0", "theirs");
    }

    @Test
    void ignoresAnOldTemporaryFile() throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"a_0\":{\"pid\":1}}");
        var left = file.resolveSibling(".uni_id.json.berth");
        Files.writeString(left, "{\"removed\":1}");
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minusSeconds(120)));

        processes.update(_ -> {});

        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("a_0");
        assertThat(left).doesNotExist();
    }

    @Test
    void aDirectoryAtTheTemporaryNameIsMovedAside() throws Exception {
        var inTheWay = file.resolveSibling(".uni_id.json.berth");
        Files.createDirectories(inTheWay.resolve("with something in it"));

        processes.update(tree -> tree.put("a_0", 1));
        processes.update(tree -> tree.put("a_0", 2));

        assertThat(ExternalScript.tree(file).path("a_0").asInt()).isEqualTo(2);
        assertThat(inTheWay).doesNotExist();
        assertThat(file.resolveSibling("uni_id.json.broken-1/with something in it")).isDirectory();
        assertThat(file.resolveSibling("uni_id.json.broken-2")).doesNotExist();
    }

    @Test
    void worksWithoutAtomicExchange() throws Exception {
        var plain = new ProcessFile(() -> file, AtomicExchange.NONE);
        plain.update(tree -> tree.put("a_0", 1));
        Files.writeString(file, "{\"theirs\":1}");
        plain.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("theirs", "a_0");

        Files.writeString(file, "{\"theirs");
        plain.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).propertyNames()).containsExactly("a_0");
        assertThat(file.resolveSibling("uni_id.json.broken-1")).hasContent("{\"theirs");
    }

    @Test
    void waitsForTheLockUpToALimit() throws Exception {
        Files.createDirectories(file.getParent());
        try (var channel =
                        FileChannel.open(
                                file.resolveSibling("uni_id.json.lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            long begin = System.nanoTime();
            processes.update(tree -> tree.put("a_0", 1));
            assertThat(System.nanoTime() - begin).isGreaterThan(500_000_000L);
        }
        assertThat(ExternalScript.tree(file).has("a_0")).isTrue();
    }

    @Test
    void aSymbolicLinkIsFollowedAndKept() throws Exception {
        var target = directory.resolve("elsewhere.json");
        Files.writeString(target, "{\"theirs\":1}");
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, target);

        processes.update(tree -> tree.put("a_0", 1));

        assertThat(file).isSymbolicLink();
        assertThat(ExternalScript.tree(target).propertyNames()).containsExactly("theirs", "a_0");
    }

    @Test
    void aWriteFailureChangesNothing() throws Exception {
        Files.writeString(directory.resolve("logs"), "a file where a directory should be");
        assertThatThrownBy(() -> processes.update(tree -> tree.put("a_0", 1)))
                .isInstanceOf(IOException.class);
        Files.delete(directory.resolve("logs"));

        processes.update(tree -> tree.put("a_0", 1));
        assertThat(ExternalScript.tree(file).has("a_0")).isTrue();
    }

    @Test
    void anOversizedFileIsNotChanged() throws Exception {
        Files.createDirectories(file.getParent());
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(new byte[] {'}'}), ProcessFileContent.MAX_BYTES);
        }
        assertThatThrownBy(() -> processes.update(tree -> tree.put("a_0", 1)))
                .hasMessageContaining("larger than");
        assertThat(Files.size(file)).isEqualTo(ProcessFileContent.MAX_BYTES + 1);
    }
}

package dev.berth.runs;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;

/** A script that does not coordinate with Berth: it reads the file, changes it, and replaces it. */
record ExternalScript(Path file, String name) {

    static ObjectNode tree(Path file) throws IOException {
        // Fails if the file is not valid JSON.
        return (ObjectNode) JsonMapper.shared().readTree(Files.readAllBytes(file));
    }

    void edit(Consumer<ObjectNode> change) throws IOException {
        var tree = tree(file);
        change.accept(tree);
        var own = file.resolveSibling("tmp-" + name);
        Files.writeString(own, tree.toString());
        Files.move(own, file, StandardCopyOption.ATOMIC_MOVE);
    }
}

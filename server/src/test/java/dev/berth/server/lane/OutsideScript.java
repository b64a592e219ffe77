package dev.berth.server.lane;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;

/** A script that knows nothing of Berth: it reads the file, changes it, and replaces it. */
record OutsideScript(Path file, String name) {

    static ObjectNode tree(Path file) throws IOException {
        // Fails where it is not valid.
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

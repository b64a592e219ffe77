package dev.berth.nodesocket.message;

import dev.berth.port.Fact;

import java.nio.file.Path;

/** What a node sends. */
public sealed interface FromNode {

    /**
     * The answer to {@link ToNode.Hello}.
     *
     * @param tasks the directory that contains the task directories
     * @param gpus where the node reads its GPUs
     * @param checksPasswords of users who log in
     */
    record Welcome(
            String name,
            String bootId,
            String trackingMethod,
            String shim,
            String probeName,
            String gpus,
            Path tasks,
            boolean checksPasswords)
            implements FromNode {}

    /** The other answer: this server is not served. */
    record Refused(String why) implements FromNode {}

    record Reported(Fact fact) implements FromNode {}

    record Answer(long number, Reply reply) implements FromNode {}

    /** The node was stopped by a person, and the server with it. */
    record StopServer() implements FromNode {}

    /** Sent regularly, so that a silent node is noticed. */
    record Alive() implements FromNode {}
}

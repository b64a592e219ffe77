package dev.berth.nodesocket.message;

import dev.berth.nodesocket.codec.ValueCodec;
import dev.berth.port.Fact;

import java.util.Set;

/** How the messages of both directions are encoded. */
public final class Protocol {

    /** The order of messages and their meaning; their shape is compared on its own. */
    public static final int VERSION = 1;

    /** An order holds one script and one environment. The node has little memory. */
    public static final int MAX_TO_NODE_BYTES = 8 << 20;

    public static final int MAX_FROM_NODE_BYTES = 16 << 20;

    public static final ValueCodec<ToNode> TO_NODE = ValueCodec.of(ToNode.class, Set.of());

    public static final ValueCodec<FromNode> FROM_NODE =
            ValueCodec.of(FromNode.class, Set.of(Fact.OfServer.class));

    public static final String SHAPE = TO_NODE.shape() + FROM_NODE.shape();

    private Protocol() {}

    public static ToNode.Hello hello(String version) {
        return new ToNode.Hello(VERSION, version, SHAPE);
    }
}

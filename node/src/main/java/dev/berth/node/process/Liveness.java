package dev.berth.node.process;

/** What a look at one process gave. */
public enum Liveness {
    ALIVE,
    /** A fact: no such process is there, or it is a zombie, or its pid is another's by now. */
    GONE,
    /** We cannot look, so we do not know. */
    UNREADABLE
}

package dev.berth.engine;

import dev.berth.port.Event;

/** Takes alerts that the store cannot take now. The engine's thread calls it: it must not block. */
public interface UnstoredAlertListener {

    void unstored(Event alert);

    /** An alert that was passed on before is stored now, before others can read it. */
    void stored(Event alert);
}

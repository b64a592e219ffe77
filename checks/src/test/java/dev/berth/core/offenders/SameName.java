package dev.berth.core.offenders;

import org.junit.jupiter.api.Test;

/** Has a name that another class has too, so that a reference to it is ambiguous. */
public class SameName {
    @Test
    void test() {}
}

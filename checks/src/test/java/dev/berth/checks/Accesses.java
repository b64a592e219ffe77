package dev.berth.checks;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;

/** Questions about one use of a member. */
final class Accesses {
    private Accesses() {}

    /** How many parameters the called method has; none for a field. */
    static int parameters(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget called
                ? called.getRawParameterTypes().size()
                : 0;
    }
}

package dev.berth.checks;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;

/** Properties of one access to a member. */
final class Accesses {
    private Accesses() {}

    /** The number of parameters of the called method; 0 for a field. */
    static int parameters(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget called
                ? called.getRawParameterTypes().size()
                : 0;
    }
}

/**
 * Authentication where the kernel cannot identify the caller. A <em>token</em> is for programs, a
 * <em>session</em> for a browser that has logged in; of both secrets only the <em>hash</em> is
 * stored. They belong to the user who created them, and are valid until they <em>expire</em> or are
 * <em>revoked</em>.
 */
@NullMarked
package dev.berth.core.access;

import org.jspecify.annotations.NullMarked;

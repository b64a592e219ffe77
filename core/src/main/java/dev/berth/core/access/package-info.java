/**
 * What lets somebody in where the kernel cannot say who they are. A <em>token</em> is for programs,
 * a <em>session</em> for a browser that has logged in; both are secrets of which only the
 * <em>hash</em> is known here. They belong to whoever made them, and are good until they
 * <em>expire</em> or are <em>revoked</em>.
 */
@NullMarked
package dev.berth.core.access;

import org.jspecify.annotations.NullMarked;

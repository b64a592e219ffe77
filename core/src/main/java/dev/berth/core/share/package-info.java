/**
 * What each user may use: the groups that a user belongs to, and the <em>limits</em> of users and
 * groups. A limit is a user's own, else the best one of the user's groups, else the default.
 */
@NullMarked
package dev.berth.core.share;

import org.jspecify.annotations.NullMarked;

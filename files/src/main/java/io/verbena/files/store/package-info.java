/** Files on the disk: what is exported, how it is opened, grown and checked, and partly copied files. */
@NullMarked
package io.verbena.files.store;

import org.jspecify.annotations.NullMarked;

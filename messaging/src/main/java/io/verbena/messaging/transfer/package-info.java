/**
 * One message between two ranks: sends and receives, short ones as copies and long ones from user memory to user
 * memory; accesses to windows; and waits for all of them. The ranks of a communicator, requests and exceptions of the
 * program are not known here.
 */
@NullMarked
package io.verbena.messaging.transfer;

import org.jspecify.annotations.NullMarked;

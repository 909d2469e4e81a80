/** The start of a job: ranks connect to a meeting server, prove that they know the secret of the job, and receive the addresses of the others. */
@NullMarked
package io.verbena.messaging.start;

import org.jspecify.annotations.NullMarked;

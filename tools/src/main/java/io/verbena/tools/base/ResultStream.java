package io.verbena.tools.base;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Optional;

/**
 * Standard output that remembers why it could not be written: a {@link PrintStream} reports no error, so a command whose results
 * were lost would end as a success.
 */
public final class ResultStream extends PrintStream {

    private final Target target;

    private ResultStream(Target target, Charset charset) {
        super(new BufferedOutputStream(target), true, charset);
        this.target = target;
    }

    /** Writes to a file descriptor or another stream. */
    public static ResultStream to(OutputStream stream, Charset charset) {
        return new ResultStream(new Target(stream), charset);
    }

    /** Writes what is buffered. Returns the first error of all writes, if there was one. */
    public Optional<IOException> failure() {
        flush();
        return target.failure;
    }

    private static final class Target extends OutputStream {
        private final OutputStream stream;
        private Optional<IOException> failure = Optional.empty();

        Target(OutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                stream.write(bytes, offset, length);
            } catch (IOException e) {
                failure = failure.or(() -> Optional.of(e));
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }
    }
}

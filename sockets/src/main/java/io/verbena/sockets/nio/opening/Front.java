package io.verbena.sockets.nio.opening;

import java.nio.ByteBuffer;

/** What a channel of the JDK needs of either side of the beginning of a stream. */
public sealed interface Front {

    /** How long the beginning of a frame waits for its rest. */
    int PAUSE_MS = 20;

    /** Nothing is dropped. */
    Front NONE = of(settled());

    private static ClientOpening settled() {
        ClientOpening plain = new ClientOpening(0);
        plain.withdraw();
        plain.onEndOfFrames();
        return plain;
    }

    static Front of(ServerOpening opening) {
        return new Accepted(opening);
    }

    static Front of(ClientOpening opening) {
        return new Connected(opening);
    }

    void onBytes(ByteBuffer more);

    void onWritten();

    void onPause();

    void onEnd();

    /** Whether no frame can follow. */
    boolean decided();

    /** Whether RDMA is possible. */
    boolean undecided();

    boolean asksForRdma();

    /** Whether the beginning of a frame was read. */
    boolean partial();

    byte[] takeReply();

    /** What was read and is not dropped. */
    ByteBuffer read();

    /** Why a stream that was accepted is TCP; empty for one that was connected. */
    String why();

    /** Of a stream that was accepted. */
    record Accepted(ServerOpening opening) implements Front {
        @Override
        public void onBytes(ByteBuffer more) {
            opening.onBytes(more);
        }

        @Override
        public void onWritten() {
            opening.onWritten();
        }

        @Override
        public void onPause() {
            opening.onPause();
        }

        @Override
        public void onEnd() {
            opening.onEnd();
        }

        @Override
        public boolean decided() {
            return opening.decided();
        }

        @Override
        public boolean undecided() {
            return opening.state() == ServerOpening.State.SHOWN;
        }

        @Override
        public boolean asksForRdma() {
            return opening.state() == ServerOpening.State.REQUEST;
        }

        @Override
        public boolean partial() {
            return opening.state() == ServerOpening.State.SHOWN && opening.partial();
        }

        @Override
        public byte[] takeReply() {
            return opening.takeReply();
        }

        @Override
        public ByteBuffer read() {
            return opening.read();
        }

        @Override
        public String why() {
            return opening.why();
        }
    }

    /** Of a stream that was connected. */
    record Connected(ClientOpening opening) implements Front {
        @Override
        public void onBytes(ByteBuffer more) {
            opening.onBytes(more);
        }

        @Override
        public void onWritten() {}

        @Override
        public void onPause() {
            opening.onEndOfFrames();
        }

        @Override
        public void onEnd() {
            opening.onEndOfFrames();
        }

        @Override
        public boolean decided() {
            return opening.state() == ClientOpening.State.PLAIN;
        }

        @Override
        public boolean undecided() {
            return false;
        }

        @Override
        public boolean asksForRdma() {
            return false;
        }

        @Override
        public boolean partial() {
            return opening.read().hasRemaining();
        }

        @Override
        public byte[] takeReply() {
            return new byte[0];
        }

        @Override
        public ByteBuffer read() {
            return opening.read();
        }

        @Override
        public String why() {
            return "";
        }
    }
}

package io.verbena.files.protocol;

import io.verbena.files.failure.FileServiceException;
import io.verbena.verbs.RemoteRegion;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the fields of a control message one after the other, and rejects values that no correct peer sends. */
final class MessageFields {

    private final ByteBuffer from;

    /** The fields between the position and the limit of a buffer. */
    MessageFields(ByteBuffer from) {
        this.from = from;
    }

    int int8() {
        return from.get() & 0xff;
    }

    int int16() {
        return from.getShort() & 0xffff;
    }

    int int32() {
        return from.getInt();
    }

    long int64() {
        return from.getLong();
    }

    FileAttributes attributes() throws FileServiceException {
        return new FileAttributes(lengthOrOffset(), from.getLong(), from.getLong(), flag());
    }

    RemoteRegion region() throws FileServiceException {
        long address = from.getLong();
        return new RemoteRegion(address, lengthOrOffset(), from.getInt());
    }

    /** A length or an offset in bytes, 0 or more. */
    long lengthOrOffset() throws FileServiceException {
        long value = from.getLong();
        if (value < 0) {
            throw new FileServiceException("Malformed control message: length or offset " + value + " is out of range");
        }
        return value;
    }

    boolean flag() throws FileServiceException {
        byte value = from.get();
        if (value != 0 && value != 1) {
            throw new FileServiceException("Malformed control message: flag " + value + " is neither 0 nor 1");
        }
        return value == 1;
    }

    /** A text of this length in UTF-8. */
    String text(int bytes) throws CharacterCodingException {
        if (bytes > from.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer text = from.slice(from.position(), bytes);
        from.position(from.position() + bytes);
        return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
    }
}

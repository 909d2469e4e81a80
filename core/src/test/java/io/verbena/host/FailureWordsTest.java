package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.host.system.JdkFailure;
import io.verbena.host.system.Sentences;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

/** What the system refuses: as a reason for code, and as the end of a sentence for people. */
class FailureWordsTest {

    @Test
    void reason_isTheEndOfASentence() {
        assertEquals("the host name is unknown.", Sentences.reason(new UnresolvedAddressException()));
        assertEquals("this is not an Internet address.", Sentences.reason(new UnsupportedAddressTypeException()));
        assertEquals("its directory does not exist.", Sentences.reason(new NoSuchFileException("/a/b")));
        assertEquals("permission denied.", Sentences.reason(new AccessDeniedException("/a/b")));
        assertEquals("no space left.", Sentences.reason(new FileSystemException("/a/b", "", "No space left")));
        assertEquals("FileSystemException.", Sentences.reason(new FileSystemException("/a/b")));
        assertEquals("connection reset.", Sentences.reason(new IOException("Connection reset")));
        assertEquals("IOException.", Sentences.reason(new IOException(" ")));
        assertEquals("IOException.", Sentences.reason(new IOException()));
    }

    @Test
    void typed_knownFailures_haveAReason_othersStay() {
        assertReason(Reason.REFUSED, "Connection refused");
        assertReason(Reason.PEER_SILENT, "Connection timed out");
        assertReason(Reason.MEMORY_GONE, "Bad address");
        assertReason(Reason.PEER_ENDED, "Broken pipe");
        assertReason(Reason.RESET, "Connection reset");
        for (IOException other : new IOException[] {new IOException("No route to host"), new IOException()}) {
            assertSame(other, JdkFailure.typed(other));
        }
        StreamException typed = new StreamException(Reason.PEER_SILENT, "Connection refused");
        assertSame(typed, JdkFailure.typed(typed));
    }

    private static void assertReason(Reason reason, String message) {
        IOException failure = new IOException(message);
        StreamException typed = (StreamException) JdkFailure.typed(failure);
        assertEquals(reason, typed.reason());
        assertEquals(message, typed.getMessage());
        assertSame(failure, typed.getCause());
    }
}

package io.leasehold.cli;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of the command line, which are bytes. Java decodes them before {@code main} sees them:
 * in a locale that is not UTF-8, or where they are not UTF-8, different words become the same text.
 * Linux keeps the bytes.
 *
 * @param texts the words; what is not UTF-8 has a replacement character
 * @param intact whether every word is exactly its text
 */
record Words(List<String> texts, boolean intact) {
  private static final char REPLACEMENT = '\uFFFD';

  /** The words of this process, of which Java made {@code args}. */
  static Words of(String[] args) {
    List<String> texts = List.of(args);
    boolean utf8 = "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
    if (utf8 && texts.stream().noneMatch(Words::isDoubtful)) {
      return new Words(texts, true);
    }
    if (texts.stream().allMatch(Words::isAscii)) {
      return new Words(texts, true);
    }
    return fromKernel(texts);
  }

  private static Words fromKernel(List<String> decoded) {
    List<byte[]> raw;
    try (InputStream in = new FileInputStream("/proc/self/cmdline")) {
      raw = split(in.readAllBytes());
    } catch (IOException e) {
      return new Words(decoded, false);
    }
    if (raw.size() < decoded.size()) {
      return new Words(decoded, false);
    }
    boolean intact = "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
    List<String> texts = new ArrayList<>();
    for (byte[] word : raw.subList(raw.size() - decoded.size(), raw.size())) {
      texts.add(new String(word, StandardCharsets.UTF_8));
      intact &= isUtf8(word);
    }
    return new Words(texts, intact);
  }

  /** A word that names something, so that two words must not mean the same. */
  static String requireText(String word, String what) {
    if (isDoubtful(word)) {
      throw new UsageException(
          what + " must be UTF-8 text, without the replacement character U+FFFD");
    }
    return word;
  }

  private static boolean isDoubtful(String word) {
    return word.indexOf(REPLACEMENT) >= 0;
  }

  private static boolean isAscii(String word) {
    return word.chars().allMatch(c -> c < 0x80);
  }

  private static boolean isUtf8(byte[] word) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(word));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static List<byte[]> split(byte[] zeroEnded) {
    List<byte[]> words = new ArrayList<>();
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    for (byte b : zeroEnded) {
      if (b == 0) {
        words.add(word.toByteArray());
        word.reset();
      } else {
        word.write(b);
      }
    }
    return words;
  }
}

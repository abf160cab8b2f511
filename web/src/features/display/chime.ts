/** Two soft tones, synthesised so that no file is needed and they work offline. */
export class Chime {
  readonly #context = new AudioContext();

  /** Browsers allow sound only after a user gesture. */
  get ready(): boolean {
    return this.#context.state === 'running';
  }

  unlock(): Promise<void> {
    return this.#context.resume();
  }

  /** Browsers limit the number of audio contexts, and a screen remounts its board for weeks. */
  close(): void {
    void this.#context.close();
  }

  ring(): void {
    const tone = (pitch: number, after: number) => {
      const start = this.#context.currentTime + after;
      const [source, volume] = [this.#context.createOscillator(), this.#context.createGain()];
      source.frequency.value = pitch;
      volume.gain.setValueAtTime(0.0001, start);
      volume.gain.exponentialRampToValueAtTime(0.4, start + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.9);
      source.connect(volume).connect(this.#context.destination);
      source.start(start);
      source.stop(start + 1);
    };
    tone(880, 0);
    tone(659, 0.35);
  }
}

/** What stands beside a mark of the strip, where the title of the stage is too long. */
export const SHORT: Readonly<Record<string, string>> = {
  "keyboard.press": "key travels", "keyboard.switch": "contacts meet", "keyboard.matrix": "key scan", "keyboard.debounce": "debounce",
  "keyboard.hid_report": "report", "keyboard.usb": "USB poll", "computer.interrupt": "interrupt", "computer.key_event": "key event",
  "computer.memory": "memory", "computer.layout": "key to letter", "computer.browser": "browser", "computer.request": "request",
  "network.tls": "encrypt", "network.http": "frame", "network.kernel": "kernel", "network.dma": "to the adapter", "network.serdes": "bit by bit",
  "network.copper": "copper", "network.access": "radio and line", "network.route": "routers", "network.loss": "lost packets",
  "network.ip": "address", "network.ethernet": "frames",
  "optics.fiber": "light in glass", "optics.transceiver": "laser", "optics.wdm": "colors join", "optics.roadm": "light switches",
  "optics.amplifier": "amplifiers", "optics.coherent": "receiver", "optics.fec": "error repair",
  "datacenter.gateway": "gateway", "datacenter.balancer": "pick a server", "datacenter.queue": "wait for a place", "datacenter.fabric": "switches",
  "datacenter.border": "border", "datacenter.nic": "network card", "datacenter.power": "power and cooling",
  "model.tokenizer": "cut to tokens", "model.embedding": "to vectors", "model.prefill": "read the prompt", "model.sampling": "pick a token",
  "model.decode": "write the answer", "model.weights": "weights", "model.experts": "experts", "model.attention": "look back",
  "model.parallel": "chips agree", "model.kv_cache": "cache", "model.silicon": "transistors", "model.quantization": "to 8 bits",
  "display.text": "lay out text", "display.framebuffer": "frame", "display.vsync": "wait for a frame", "display.link": "cable",
  "display.panel": "crystals turn", "eye.optics": "light into the eye", "eye.retina": "retina", "eye.nerve": "nerve", "eye.cortex": "brain knows the word",
  "eye.reading": "read it all",
};


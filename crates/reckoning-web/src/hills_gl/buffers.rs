//! What is on the graphics card: all meshes in one buffer, the instances of a frame in another.

use reckoning_arena::hills::HillsLevel;
use web_sys::{WebGl2RenderingContext as Gl, WebGlBuffer, WebGlVertexArrayObject};

use super::context::{COLOUR, Context, NORMAL, PLACE, ROWS, TINT};
use crate::hills::colours::HillsColours;
use crate::hills::frame::{Frame, INSTANCE_BYTES};
use crate::hills::mesh::{Mesh, VERTEX_BYTES};
use crate::hills::models::Model;
use crate::hills::structures::{rails_mesh, structures_mesh};
use crate::hills::terrain::{ground_tiles, water_mesh};
use crate::hills::tiles::{Tile, by_squares};
use crate::hills::view::View;

/// Sides of the squares that are drawn or left out as one.
const TILE_M: f64 = 128.0;

/// A stretch of the instances: of which model, the first byte, and how many.
pub type Batch = (Model, i32, i32);

/// What is on the card, and where.
pub struct Buffers {
    /// Reads meshes alone: what stands still.
    pub still: WebGlVertexArrayObject,
    /// Reads meshes and instances.
    pub moving: WebGlVertexArrayObject,
    /// The ground, by tiles.
    pub ground: Vec<Tile>,
    /// What stands on it, by tiles.
    pub structures: Vec<Tile>,
    /// The lake: first index and how many.
    pub water: [u32; 2],
    /// Of each model, the same.
    pub models: Vec<[u32; 2]>,
    /// Instances that cover, then those that are translucent.
    pub batches: [Vec<Batch>; 2],
    radii_m: Vec<f64>,
    vertices: WebGlBuffer,
    indices: WebGlBuffer,
    instances: WebGlBuffer,
    room_bytes: usize,
    bytes: Vec<u8>,
}

impl Buffers {
    /// Puts everything that does not change onto a card.
    ///
    /// # Errors
    /// When the card has no room.
    pub fn new(
        context: &Context,
        level: &HillsLevel,
        colours: &HillsColours,
    ) -> Result<Self, String> {
        let gl = &context.gl;
        let full = "the graphics card has no room for the hills; close other pages and load again";
        let buffer = || gl.create_buffer().ok_or(full);
        let array = || gl.create_vertex_array().ok_or(full);
        let mut made = Self {
            still: array()?,
            moving: array()?,
            ground: Vec::new(),
            structures: Vec::new(),
            water: [0; 2],
            models: Vec::new(),
            radii_m: Vec::new(),
            batches: [Vec::new(), Vec::new()],
            vertices: buffer()?,
            indices: buffer()?,
            instances: buffer()?,
            room_bytes: 0,
            bytes: Vec::new(),
        };
        made.wire(gl);
        made.upload(context, level, colours);
        Ok(made)
    }

    /// Says how bytes become attributes.
    fn wire(&self, gl: &Gl) {
        for array in [&self.still, &self.moving] {
            gl.bind_vertex_array(Some(array));
            gl.bind_buffer(Gl::ELEMENT_ARRAY_BUFFER, Some(&self.indices));
            gl.bind_buffer(Gl::ARRAY_BUFFER, Some(&self.vertices));
            let stride = signed(VERTEX_BYTES);
            gl.vertex_attrib_pointer_with_i32(PLACE, 3, Gl::FLOAT, false, stride, 0);
            gl.vertex_attrib_pointer_with_i32(NORMAL, 3, Gl::BYTE, true, stride, 12);
            gl.vertex_attrib_pointer_with_i32(COLOUR, 4, Gl::UNSIGNED_BYTE, true, stride, 16);
            (PLACE..=COLOUR).for_each(|it| gl.enable_vertex_attrib_array(it));
        }
        for attribute in ROWS..=TINT {
            gl.enable_vertex_attrib_array(attribute);
            gl.vertex_attrib_divisor(attribute, 1);
        }
        // What stands still has no instances: these hold for it.
        gl.vertex_attrib4f(ROWS, 1.0, 0.0, 0.0, 0.0);
        gl.vertex_attrib4f(ROWS + 1, 0.0, 1.0, 0.0, 0.0);
        gl.vertex_attrib4f(ROWS + 2, 0.0, 0.0, 1.0, 0.0);
    }

    /// Puts the meshes in these colours onto the card.
    pub fn upload(&mut self, context: &Context, level: &HillsLevel, colours: &HillsColours) {
        let mut all = Mesh::default();
        self.ground = append(&mut all, &ground_tiles(level, colours));
        let built = (structures_mesh(level, colours), rails_mesh(level, colours));
        self.structures = append(&mut all, &by_squares(&built.0, &built.1, TILE_M));
        self.water = all.append(&water_mesh(level, colours));
        let models = Model::ALL.map(|it| it.mesh(colours));
        self.radii_m = models.iter().map(Mesh::radius_m).collect();
        self.models = models.iter().map(|it| all.append(it)).collect();
        let gl = &context.gl;
        // The array holds the indices' buffer: bound first, so that no other one is changed.
        gl.bind_vertex_array(Some(&self.still));
        gl.bind_buffer(Gl::ARRAY_BUFFER, Some(&self.vertices));
        gl.buffer_data_with_u8_array(Gl::ARRAY_BUFFER, &all.vertices, Gl::STATIC_DRAW);
        let indices: Vec<u8> = all.indices.iter().flat_map(|it| it.to_le_bytes()).collect();
        gl.buffer_data_with_u8_array(Gl::ELEMENT_ARRAY_BUFFER, &indices, Gl::STATIC_DRAW);
    }

    /// Puts the instances of a frame that are in a view onto the card.
    pub fn stream(&mut self, context: &Context, frame: &Frame, view: &View) {
        self.bytes.clear();
        for (layer, batches) in self.batches.iter_mut().enumerate() {
            batches.clear();
            for model in Model::ALL {
                let (first, radius_m) = (self.bytes.len(), self.radii_m[model as usize]);
                let count = frame.write_seen((model, layer), radius_m, view, &mut self.bytes);
                if count > 0 {
                    batches.push((model, signed(first), signed(count)));
                }
            }
        }
        let gl = &context.gl;
        gl.bind_buffer(Gl::ARRAY_BUFFER, Some(&self.instances));
        if self.bytes.len() > self.room_bytes {
            self.room_bytes = self.bytes.len().next_power_of_two();
            gl.buffer_data_with_i32(Gl::ARRAY_BUFFER, signed(self.room_bytes), Gl::DYNAMIC_DRAW);
        }
        gl.buffer_sub_data_with_i32_and_u8_array(Gl::ARRAY_BUFFER, 0, &self.bytes);
    }

    /// Draws a batch as triangles, or as lines; the array of instances must be bound.
    pub fn draw_batch(&self, gl: &Gl, (model, first_byte, count): Batch) {
        gl.bind_buffer(Gl::ARRAY_BUFFER, Some(&self.instances));
        for (attribute, at) in (ROWS..=TINT).zip(0..) {
            let (stride, offset) = (signed(INSTANCE_BYTES), first_byte + at * 16);
            gl.vertex_attrib_pointer_with_i32(attribute, 4, Gl::FLOAT, false, stride, offset);
        }
        let mode = if model == Model::Wire { Gl::LINES } else { Gl::TRIANGLES };
        let [first, indices] = self.models[model as usize].map(u32::cast_signed);
        let kind = Gl::UNSIGNED_INT;
        gl.draw_elements_instanced_with_i32(mode, indices, kind, first * 4, count);
    }
}

/// Sizes as the card counts them; none comes near the limit.
fn signed(it: usize) -> i32 {
    i32::try_from(it).unwrap_or(i32::MAX)
}

/// Adds a mesh with its tiles.
fn append(all: &mut Mesh, (mesh, tiles): &(Mesh, Vec<Tile>)) -> Vec<Tile> {
    let [first, _] = all.append(mesh);
    tiles.iter().map(|it| it.moved(first)).collect()
}
